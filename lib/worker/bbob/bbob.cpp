// SPDX-License-Identifier: Apache-2.0
#include "worker/bbob/bbob.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "util/arithmetic.hpp"
#include "worker/bbob/gallagher.hpp"
#include "worker/bbob/shapes.hpp"

namespace dlrun::worker::bbob {

namespace {

using arithmetic::cos;
using arithmetic::pow;
using arithmetic::sin;
using std::numbers::pi;

double square(double v) { return v * v; }

/// x from the optimum.
Vector centred(const Instance& of, const Vector& x) { return difference(x, of.optimum); }

/// The optimum's distance, by one rotation, scales and the other rotation.
Vector turned_twice(const Instance& of, const Vector& x, double condition) {
  return of.r * scaled(of.q * x, condition);
}

/// The sum of condition^share * z^2.
double ellipsoid(const Vector& z, double condition) {
  double sum = 0;
  for (std::size_t i = 0; i < z.size(); ++i) sum += pow(condition, share(i, z.size())) * square(z[i]);
  return sum;
}

double rastrigin(const Vector& z) {
  double cosines = 0;
  for (const double v : z) cosines += cos(2 * pi * v);
  return 10 * (double(z.size()) - cosines) + squares(z);
}

double rosenbrock_term(double a, double b) { return 100 * square(a * a - b) + square(a - 1); }

double rosenbrock(const Vector& z) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < z.size(); ++i) sum += rosenbrock_term(z[i], z[i + 1]);
  return sum;
}

/// A factor that grows with the dimension, and a shift.
Vector spread(Vector z, double shift) {
  const double factor = std::max(1.0, std::sqrt(double(z.size())) / 8);
  for (double& v : z) v = factor * v + shift;
  return z;
}

double f1_sphere(const Instance& of, const Vector& x) { return squares(centred(of, x)); }

double f2_ellipsoid(const Instance& of, const Vector& x) { return ellipsoid(oscillated(centred(of, x)), 1e6); }

double f3_rastrigin(const Instance& of, const Vector& x) {
  return rastrigin(scaled(asymmetric(oscillated(centred(of, x)), 0.2), 10));
}

double f4_bueche_rastrigin(const Instance& of, const Vector& x) {
  Vector z = x;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const bool is_steep = i % 2 == 0;
    z[i] = oscillated(x[i] - (is_steep ? std::abs(of.optimum[i]) : of.optimum[i]));
    z[i] *= pow(10, 0.5 * share(i, z.size())) * (is_steep && z[i] > 0 ? 10 : 1);
  }
  return rastrigin(z) + 100 * penalty(x);
}

double f5_linear_slope(const Instance& of, const Vector& x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double best = of.optimum[i] < 0 ? -5 : 5;
    const double slope = pow(10, share(i, x.size()));
    const double at = x[i] * best < 25 ? x[i] : best;
    sum += 5 * slope - (best < 0 ? -slope : slope) * at;
  }
  return sum;
}

double f6_attractive_sector(const Instance& of, const Vector& x) {
  const Vector z = turned_twice(of, centred(of, x), 10);
  double sum = 0;
  for (std::size_t i = 0; i < z.size(); ++i) sum += square((z[i] * of.optimum[i] > 0 ? 100 : 1) * z[i]);
  return pow(oscillated(sum), 0.9);
}

double f7_step_ellipsoid(const Instance& of, const Vector& x) {
  Vector z = scaled(of.q * centred(of, x), 10);
  const double first = std::abs(z[0]) / 1e4;
  for (double& v : z) v = std::abs(v) > 0.5 ? std::floor(0.5 + v) : std::floor(0.5 + 10 * v) / 10;
  return 0.1 * std::max(first, ellipsoid(of.r * z, 100)) + penalty(x);
}

double f8_rosenbrock(const Instance& of, const Vector& x) {
  Vector z = x;
  for (std::size_t i = 0; i < z.size(); ++i) z[i] -= 0.75 * of.optimum[i];
  return rosenbrock(spread(z, 1));
}

double f9_rosenbrock_rotated(const Instance& of, const Vector& x) { return rosenbrock(spread(of.q * x, 0.5)); }

double f10_ellipsoid_rotated(const Instance& of, const Vector& x) {
  return ellipsoid(oscillated(of.r * centred(of, x)), 1e6);
}

double f11_discus(const Instance& of, const Vector& x) {
  const Vector z = oscillated(of.r * centred(of, x));
  return squares(z) + (1e6 - 1) * square(z[0]);
}

double f12_bent_cigar(const Instance& of, const Vector& x) {
  const Vector z = of.r * asymmetric(of.r * centred(of, x), 0.5);
  return square(z[0]) + 1e6 * (squares(z) - square(z[0]));
}

double f13_sharp_ridge(const Instance& of, const Vector& x) {
  Vector z = turned_twice(of, centred(of, x), 10);
  const double first = std::exchange(z[0], 0.0);
  return square(first) + 100 * std::sqrt(squares(z));
}

double f14_different_powers(const Instance& of, const Vector& x) {
  const Vector z = of.r * centred(of, x);
  double sum = 0;
  for (std::size_t i = 0; i < z.size(); ++i) sum += pow(std::abs(z[i]), 2 + 4 * share(i, z.size()));
  return std::sqrt(sum);
}

double f15_rastrigin_rotated(const Instance& of, const Vector& x) {
  return rastrigin(turned_twice(of, asymmetric(oscillated(of.r * centred(of, x)), 0.2), 10));
}

double f16_weierstrass(const Instance& of, const Vector& x) {
  constexpr int kTerms = 12;
  const Vector z = turned_twice(of, oscillated(of.r * centred(of, x)), 0.01);
  const auto terms = [](double at) {
    double sum = 0;
    for (int k = 0; k < kTerms; ++k) sum += pow(0.5, k) * cos(2 * pi * pow(3, k) * at);
    return sum;
  };
  double sum = 0;
  for (const double v : z) sum += terms(v + 0.5);
  const double deep = sum / double(z.size()) - terms(0.5);
  return 10 * deep * deep * deep + 10 / double(z.size()) * penalty(x);
}

double schaffers(const Instance& of, const Vector& x, double condition) {
  const Vector z = scaled(of.q * asymmetric(of.r * centred(of, x), 0.5), condition);
  double sum = 0;
  for (std::size_t i = 0; i + 1 < z.size(); ++i) {
    const double root = std::sqrt(std::sqrt(square(z[i]) + square(z[i + 1])));
    sum += root * (1 + square(sin(50 * pow(root, 0.4))));
  }
  return square(sum / double(z.size() - 1)) + 10 * penalty(x);
}

double f17_schaffers_10(const Instance& of, const Vector& x) { return schaffers(of, x, 10); }
double f18_schaffers_1000(const Instance& of, const Vector& x) { return schaffers(of, x, 1000); }

double f19_griewank_rosenbrock(const Instance& of, const Vector& x) {
  const Vector z = spread(of.q * x, 0.5);
  double sum = 0;
  for (std::size_t i = 0; i + 1 < z.size(); ++i) {
    const double term = rosenbrock_term(z[i], z[i + 1]);
    sum += term / 4000 - cos(term);
  }
  return 10 + 10 * sum / double(z.size() - 1);
}

double f20_schwefel(const Instance& of, const Vector& x) {
  constexpr double kBest = 4.2096874637;  ///< twice a coordinate of the optimum
  const Vector draws = uniform(x.size(), of.seed);
  Vector h = x;
  for (std::size_t i = 0; i < h.size(); ++i) h[i] *= draws[i] < 0.5 ? -2 : 2;
  Vector z = h;
  for (std::size_t i = 0; i < z.size(); ++i) z[i] += (i == 0 ? 0 : 0.25 * (h[i - 1] - kBest)) - kBest;
  z = scaled(z, 10);
  double sum = 0;
  for (double& v : z) {
    v += kBest;
    sum += 100 * v * sin(std::sqrt(std::abs(100 * v)));
  }
  return 4.189828872724339 - sum / (100 * double(x.size())) + 100 * penalty(z);
}

double f23_katsuura(const Instance& of, const Vector& x) {
  const Vector z = turned_twice(of, centred(of, x), 100);
  const double d = double(z.size());
  double product = 1;
  for (std::size_t i = 0; i < z.size(); ++i) {
    double sum = 0;
    for (int j = 1; j <= 32; ++j) {
      const double grown = std::ldexp(z[i], j);
      sum += std::ldexp(std::abs(grown - std::floor(grown + 0.5)), -j);
    }
    product *= pow(1 + double(i + 1) * sum, 10 / pow(d, 1.2));
  }
  return 10 / d / d * (product - 1) + penalty(x);
}

double f24_lunacek(const Instance& of, const Vector& x) {
  constexpr double kFirst = 2.5;
  const double d = double(x.size());
  const double s = 1 - 1 / (2 * std::sqrt(d + 20) - 8.2);
  const double second = -std::sqrt((kFirst * kFirst - 1) / s);
  const Vector signs = normal(x.size(), of.seed);
  Vector first = x;
  double near = 0, far = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double h = (signs[i] < 0 ? -2 : 2) * x[i];
    first[i] = h - kFirst;
    near += square(first[i]);
    far += square(h - second);
  }
  double cosines = 0;
  for (const double v : turned_twice(of, first, 100)) cosines += cos(2 * pi * v);
  return std::min(near, d + s * far) + 10 * (d - cosines) + 1e4 * penalty(x);
}

using Function = double (*)(const Instance&, const Vector&);
constexpr std::array<Function, kFunctions> kAll = {f1_sphere,
                                                   f2_ellipsoid,
                                                   f3_rastrigin,
                                                   f4_bueche_rastrigin,
                                                   f5_linear_slope,
                                                   f6_attractive_sector,
                                                   f7_step_ellipsoid,
                                                   f8_rosenbrock,
                                                   f9_rosenbrock_rotated,
                                                   f10_ellipsoid_rotated,
                                                   f11_discus,
                                                   f12_bent_cigar,
                                                   f13_sharp_ridge,
                                                   f14_different_powers,
                                                   f15_rastrigin_rotated,
                                                   f16_weierstrass,
                                                   f17_schaffers_10,
                                                   f18_schaffers_1000,
                                                   f19_griewank_rosenbrock,
                                                   f20_schwefel,
                                                   gallagher_101,
                                                   gallagher_21,
                                                   f23_katsuura,
                                                   f24_lunacek};

}  // namespace

double value(int id, int instance, std::span<const double> x) {
  const Instance of(id, instance, x.size());
  return kAll.at(std::size_t(id - 1))(of, Vector(x.begin(), x.end())) + of.offset;
}

double least_value(int id, int instance) { return Instance(id, instance, kLeastDimensions).offset; }

}  // namespace dlrun::worker::bbob
