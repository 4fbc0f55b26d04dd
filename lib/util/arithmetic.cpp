// SPDX-License-Identifier: Apache-2.0
#include "util/arithmetic.hpp"

#include <dlfcn.h>
#include <sleef.h>

#include <string>

#include "util/error.hpp"

namespace dlrun::arithmetic {

namespace {

constexpr const char* kHint = "install SLEEF, on Debian: apt-get install libsleef3";

/// Opened with local symbols, not linked. libtorch has a SLEEF of its own and exports its names, so a library that is
/// linked to dlrun-worker would replace 548 functions of libtorch 2.11, and trainings would depend on the system's
/// SLEEF.
class Library {
 public:
  Library() : handle_(::dlopen(name().c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw Error(ErrorKind::usage, std::string("cannot open SLEEF: ") + ::dlerror(), kHint);
  }

  void* find(const char* function) const {
    if (void* found = ::dlsym(handle_, function)) return found;
    throw Error(ErrorKind::usage, name() + " has no function '" + function + "'", kHint);
  }

 private:
  static std::string name() { return "libsleef.so." + std::to_string(SLEEF_VERSION_MAJOR); }

  void* handle_;  ///< never closed: calls may come until the process ends
};

#ifdef __SSE2__

/// One function of two numbers, and of four where the processor has AVX.
struct Wide {
  decltype(&Sleef_cinz_expd2_u10sse2) of_two;
  void* of_four;  ///< __m256d (*)(__m256d)
};

/// @return how many numbers were replaced
__attribute__((target("avx"))) std::size_t apply_to_fours(void* function, std::span<double> x) {
  const auto of_four = reinterpret_cast<__m256d (*)(__m256d)>(function);
  std::size_t i = 0;
  for (; i + 4 <= x.size(); i += 4) _mm256_storeu_pd(&x[i], of_four(_mm256_loadu_pd(&x[i])));
  return i;
}

std::size_t apply(const Wide& function, std::span<double> x) {
  static const bool has_avx = __builtin_cpu_supports("avx") != 0;
  std::size_t i = has_avx ? apply_to_fours(function.of_four, x) : 0;
  for (; i + 2 <= x.size(); i += 2) _mm_storeu_pd(&x[i], function.of_two(_mm_loadu_pd(&x[i])));
  return i;
}

#endif

#define DLRUN_SLEEF(name) reinterpret_cast<decltype(&(name))>(library.find(#name))

/// `cinz` names the variants without fused multiply-adds. SLEEF guarantees their bits across instruction sets.
struct Functions {
  Library library;
  decltype(&Sleef_cinz_expd1_u10purec) exp = DLRUN_SLEEF(Sleef_cinz_expd1_u10purec);
  decltype(&Sleef_cinz_expf1_u10purec) exp_of_float = DLRUN_SLEEF(Sleef_cinz_expf1_u10purec);
#ifdef __SSE2__
  Wide exps{DLRUN_SLEEF(Sleef_cinz_expd2_u10sse2), library.find("Sleef_cinz_expd4_u10avx")};
  Wide logs{DLRUN_SLEEF(Sleef_cinz_logd2_u10sse2), library.find("Sleef_cinz_logd4_u10avx")};
  Wide erfcs{DLRUN_SLEEF(Sleef_cinz_erfcd2_u15sse2), library.find("Sleef_cinz_erfcd4_u15avx")};
  decltype(&Sleef_cinz_expf4_u10sse2) exp_of_four = DLRUN_SLEEF(Sleef_cinz_expf4_u10sse2);
#endif
  decltype(&Sleef_cinz_exp2d1_u10purec) exp2 = DLRUN_SLEEF(Sleef_cinz_exp2d1_u10purec);
  decltype(&Sleef_cinz_expm1d1_u10purec) expm1 = DLRUN_SLEEF(Sleef_cinz_expm1d1_u10purec);
  decltype(&Sleef_cinz_logd1_u10purec) log = DLRUN_SLEEF(Sleef_cinz_logd1_u10purec);
  decltype(&Sleef_cinz_log2d1_u10purec) log2 = DLRUN_SLEEF(Sleef_cinz_log2d1_u10purec);
  decltype(&Sleef_cinz_log1pd1_u10purec) log1p = DLRUN_SLEEF(Sleef_cinz_log1pd1_u10purec);
  decltype(&Sleef_cinz_powd1_u10purec) pow = DLRUN_SLEEF(Sleef_cinz_powd1_u10purec);
  decltype(&Sleef_cinz_sind1_u10purec) sin = DLRUN_SLEEF(Sleef_cinz_sind1_u10purec);
  decltype(&Sleef_cinz_cosd1_u10purec) cos = DLRUN_SLEEF(Sleef_cinz_cosd1_u10purec);
  decltype(&Sleef_cinz_asind1_u10purec) asin = DLRUN_SLEEF(Sleef_cinz_asind1_u10purec);
  decltype(&Sleef_cinz_acosd1_u10purec) acos = DLRUN_SLEEF(Sleef_cinz_acosd1_u10purec);
  decltype(&Sleef_cinz_atan2d1_u10purec) atan2 = DLRUN_SLEEF(Sleef_cinz_atan2d1_u10purec);
  decltype(&Sleef_cinz_hypotd1_u05purec) hypot = DLRUN_SLEEF(Sleef_cinz_hypotd1_u05purec);
  decltype(&Sleef_cinz_erfcd1_u15purec) erfc = DLRUN_SLEEF(Sleef_cinz_erfcd1_u15purec);
};

#undef DLRUN_SLEEF

const Functions& sleef() {
  static const Functions all;
  return all;
}

}  // namespace

void require() { sleef(); }

double exp(double x) { return sleef().exp(x); }

void exp(std::span<double> x) {
  std::size_t i = 0;
#ifdef __SSE2__
  i = apply(sleef().exps, x);
#endif
  for (; i < x.size(); ++i) x[i] = exp(x[i]);
}

void log(std::span<double> x) {
  std::size_t i = 0;
#ifdef __SSE2__
  i = apply(sleef().logs, x);
#endif
  for (; i < x.size(); ++i) x[i] = log(x[i]);
}

void erfc(std::span<double> x) {
  std::size_t i = 0;
#ifdef __SSE2__
  i = apply(sleef().erfcs, x);
#endif
  for (; i < x.size(); ++i) x[i] = erfc(x[i]);
}

void exp(std::span<float> x) {
  const Functions& f = sleef();
  std::size_t i = 0;
#ifdef __SSE2__
  for (; i + 4 <= x.size(); i += 4) _mm_storeu_ps(&x[i], f.exp_of_four(_mm_loadu_ps(&x[i])));
#endif
  for (; i < x.size(); ++i) x[i] = f.exp_of_float(x[i]);
}

double exp2(double x) { return sleef().exp2(x); }
double expm1(double x) { return sleef().expm1(x); }
double log(double x) { return sleef().log(x); }
double log2(double x) { return sleef().log2(x); }
double log1p(double x) { return sleef().log1p(x); }
double pow(double x, double y) { return sleef().pow(x, y); }
double sin(double x) { return sleef().sin(x); }
double cos(double x) { return sleef().cos(x); }
double asin(double x) { return sleef().asin(x); }
double acos(double x) { return sleef().acos(x); }
double atan2(double y, double x) { return sleef().atan2(y, x); }
double hypot(double x, double y) { return sleef().hypot(x, y); }
double erfc(double x) { return sleef().erfc(x); }
double erf(double x) { return 1 - erfc(x); }

}  // namespace dlrun::arithmetic
