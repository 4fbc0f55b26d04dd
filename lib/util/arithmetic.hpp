// SPDX-License-Identifier: Apache-2.0
// Elementary functions with the same bits on every x86-64 processor. Everything that a decision rests on uses them.
//
// The C library's own functions differ in their last bits between processors with and without fused multiply-adds.
// These are SLEEF's deterministic scalar functions, which use none; their errors are below 1 ulp, of erfc and erf
// below 1.5 ulp. Domain errors give NaN, overflow gives an infinity; errno is not set. std::sqrt, std::fma and rounding
// are exact already.
#pragma once
#include <span>

namespace dlrun::arithmetic {

/// Version of the decisions' arithmetic. To be raised when a function or an algorithm of theirs gives other bits than
/// before, so that a driver that resumes a study can say so. Part of the store. Version 0 are the C library's
/// functions, of drivers that recorded none.
inline constexpr int kVersion = 1;

/// Opens SLEEF, which the first call of any function does otherwise. @throws Error(usage) where it is not installed.
void require();

double exp(double x);
/// Exponentials in place, and several at a time where the processor can; the bits are those of one at a time. log() and
/// erfc() likewise.
void exp(std::span<double> x);
void log(std::span<double> x);
void erfc(std::span<double> x);
/// Exponentials in place, in single precision.
void exp(std::span<float> x);
double exp2(double x);
double expm1(double x);
double log(double x);
double log2(double x);
double log1p(double x);
double pow(double x, double y);
double sin(double x);
double cos(double x);
double asin(double x);
double acos(double x);
double atan2(double y, double x);
double hypot(double x, double y);
double erfc(double x);
/// 1 - erfc(x): SLEEF's own erf has other bits in version 3.6 than in 3.5. Near 0 its error is 1.5 ulp of 1, not of
/// erf.
double erf(double x);

}  // namespace dlrun::arithmetic
