// SPDX-License-Identifier: Apache-2.0
#include "parallel/codecs/powersgd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parallel/vectors.hpp"
#include "util/random.hpp"

namespace dlrun::parallel {

namespace {

/// A packed tensor of a bucket.
struct Thin {
  Shard at;
  std::size_t rows, columns, rank;
  std::size_t basis;  ///< place of its Q among all

  std::size_t p_size() const { return rows * rank; }
  std::size_t q_size() const { return columns * rank; }
};

bool is_packed(const PowerSgd& codec, const Tensor& tensor) {
  const double whole = double(tensor.rows) * double(tensor.columns);
  return whole > 0 && double(tensor.rows + tensor.columns) * codec.rank * codec.least < whole;
}

std::vector<Thin> packed_tensors(const Gang& gang, const PowerSgd& codec) {
  std::vector<Thin> all;
  std::size_t basis = 0;
  for (const Tensor& tensor : gang.tensors) {
    if (!is_packed(codec, tensor)) continue;
    const std::size_t rank = std::min({std::size_t(codec.rank), tensor.rows, tensor.columns});
    all.push_back({tensor.at, tensor.rows, tensor.columns, rank, basis});
    basis += all.back().q_size();
  }
  return all;
}

/// Numbers of the whole model.
double numbers_of(const Gang& gang) {
  double numbers = 0;
  for (const Tensor& tensor : gang.tensors) {
    if (tensor.rows > 0) return double(tensor.rows * tensor.columns) / tensor.at.share;
    numbers += double(tensor.at.size());
  }
  return std::max(1.0, numbers);
}

/// out[rows, rank] = m[rows, columns] · q[columns, rank]
template <class Real>
void multiply(const Thin& thin, const Real* m, const Real* q, Real* out) {
  for (std::size_t i = 0; i < thin.rows; ++i) {
    for (std::size_t j = 0; j < thin.columns; ++j) {
      for (std::size_t k = 0; k < thin.rank; ++k)
        out[i * thin.rank + k] += m[i * thin.columns + j] * q[j * thin.rank + k];
    }
  }
}

/// out[columns, rank] = m[rows, columns]ᵀ · p[rows, rank]
template <class Real>
void multiply_transposed(const Thin& thin, const Real* m, const Real* p, Real* out) {
  for (std::size_t i = 0; i < thin.rows; ++i) {
    for (std::size_t j = 0; j < thin.columns; ++j) {
      for (std::size_t k = 0; k < thin.rank; ++k)
        out[j * thin.rank + k] += m[i * thin.columns + j] * p[i * thin.rank + k];
    }
  }
}

/// out[rows, columns] += factor · p[rows, rank] · q[columns, rank]ᵀ
template <class Real>
void add_product(const Thin& thin, const Real* p, const Real* q, double factor, Real* out) {
  for (std::size_t i = 0; i < thin.rows; ++i) {
    for (std::size_t j = 0; j < thin.columns; ++j) {
      double dot = 0;
      for (std::size_t k = 0; k < thin.rank; ++k) dot += double(p[i * thin.rank + k]) * double(q[j * thin.rank + k]);
      out[i * thin.columns + j] += Real(factor * dot);
    }
  }
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Gram-Schmidt, twice over each column, in double. A column that depends on those before becomes 0.
template <class Real>
void orthogonalise(const Thin& thin, Real* p) {
  std::vector<std::vector<double>> done;
  for (std::size_t k = 0; k < thin.rank; ++k) {
    std::vector<double> column(thin.rows);
    for (std::size_t i = 0; i < thin.rows; ++i) column[i] = double(p[i * thin.rank + k]);
    const double before = std::sqrt(dot(column, column));
    for (int turn = 0; turn < 2; ++turn) {
      for (const std::vector<double>& other : done) {
        const double along = dot(column, other);
        for (std::size_t i = 0; i < thin.rows; ++i) column[i] -= along * other[i];
      }
    }
    const double norm = std::sqrt(dot(column, column));
    const double factor = norm > 1e-7 * before ? 1 / norm : 0;  // float32 knows seven digits
    for (double& number : column) number *= factor;
    for (std::size_t i = 0; i < thin.rows; ++i) p[i * thin.rank + k] = Real(column[i]);
    done.push_back(std::move(column));
  }
}

/// One bucket of one step.
template <class Real>
class Bucket {
 public:
  Bucket(Env<Real>& env, const PowerSgd& codec, Rank<Real>& rank, const Shard& at, Sum<Real>& sum)
      : codec_(codec), rank_(rank), at_(at), sum_(sum), is_timed_(env.gang().size == 0) {
    if (!codec.warm_start) drawn_ = first_basis<Real>(env.gang(), codec, rank.clock);
    for (const Thin& thin : packed_tensors(env.gang(), codec)) {
      if (is_timed_ || (thin.at.begin >= at.begin && thin.at.end <= at.end)) tensors_.push_back(thin);
    }
    find_rest();
    find_shares(numbers_of(env.gang()));
  }

  /// The rank's part of P, and behind it all that is not packed.
  Sum<Real> first() {
    Sum<Real> out{{}, 2 * sum_.clock, sum_.samples, p_share_};
    if (is_timed_) return out;
    add_errors();
    for (const Thin& thin : tensors_) {
      std::vector<Real> p(thin.p_size());
      multiply(thin, matrix(thin), basis(thin), p.data());
      append(out.numbers, p);
    }
    for (const Shard& part : rest_) append(out.numbers, slice(sum_.numbers, part));
    return out;
  }

  /// The rank's part of Q.
  Sum<Real> second(Sum<Real>& first) {
    Sum<Real> out{{}, 2 * sum_.clock + 1, sum_.samples, q_share_};
    total_ = first.samples;
    if (is_timed_) return out;
    take_unpacked(first.numbers);
    p_ = first.numbers;
    std::size_t at = 0;
    for (const Thin& thin : tensors_) {
      orthogonalise(thin, p_.data() + at);
      std::vector<Real> q(thin.q_size());
      multiply_transposed(thin, matrix(thin), p_.data() + at, q.data());
      append(out.numbers, q);
      at += thin.p_size();
    }
    if (codec_.error_feedback) keep_errors(out.numbers);
    return out;
  }

  void finish(const Sum<Real>& second) {
    sum_.samples = total_;
    if (is_timed_) return;
    std::size_t p = 0, q = 0;
    for (const Thin& thin : tensors_) {
      Real* const m = matrix(thin);
      std::fill_n(m, thin.rows * thin.columns, Real(0));
      add_product(thin, p_.data() + p, second.numbers.data() + q, 1, m);
      if (codec_.warm_start && total_ > 0) keep_basis(thin, second.numbers.data() + q);
      p += thin.p_size();
      q += thin.q_size();
    }
  }

 private:
  Real* matrix(const Thin& thin) { return sum_.numbers.data() + (thin.at.begin - at_.begin); }
  const Real* basis(const Thin& thin) const { return (codec_.warm_start ? rank_.basis : drawn_).data() + thin.basis; }

  /// Stretches of the bucket that are not packed.
  void find_rest() {
    std::size_t at = 0;
    for (const Thin& thin : tensors_) {
      if (is_timed_) return;
      const std::size_t begin = thin.at.begin - at_.begin;
      if (begin > at) rest_.push_back({at, begin});
      at = begin + thin.rows * thin.columns;
    }
    if (at < at_.size()) rest_.push_back({at, at_.size()});
  }

  /// In timing mode a bucket has its share of all that is packed.
  void find_shares(double numbers) {
    double packed = 0;
    for (const Thin& thin : tensors_) {
      packed += thin.at.share;
      p_share_ += double(thin.p_size()) / numbers;
      q_share_ += double(thin.q_size()) / numbers;
    }
    if (is_timed_) {
      packed *= at_.share;
      p_share_ *= at_.share;
      q_share_ *= at_.share;
    }
    p_share_ += std::max(0.0, at_.share - packed);
  }

  void add_errors() {
    if (!codec_.error_feedback) return;
    for (const Thin& thin : tensors_) {
      for (std::size_t i = 0; i < thin.rows * thin.columns; ++i)
        matrix(thin)[i] += Real(sum_.samples) * rank_.residual[thin.at.begin + i];
    }
  }

  /// e = (s·M − P (s·Mᵀ P)ᵀ) / s
  void keep_errors(const std::vector<Real>& qs) {
    if (sum_.samples == 0) return;
    std::size_t p = 0, q = 0;
    for (const Thin& thin : tensors_) {
      Real* const residual = rank_.residual.data() + thin.at.begin;
      std::copy_n(matrix(thin), thin.rows * thin.columns, residual);
      add_product(thin, p_.data() + p, qs.data() + q, -1, residual);
      for (std::size_t i = 0; i < thin.rows * thin.columns; ++i) residual[i] /= Real(sum_.samples);
      p += thin.p_size();
      q += thin.q_size();
    }
  }

  void keep_basis(const Thin& thin, const Real* q) {
    Real* const own = rank_.basis.data() + thin.basis;
    for (std::size_t k = 0; k < thin.rank; ++k) {
      bool is_there = false;
      for (std::size_t j = 0; j < thin.columns; ++j) is_there = is_there || q[j * thin.rank + k] != 0;
      for (std::size_t j = 0; is_there && j < thin.columns; ++j)
        own[j * thin.rank + k] = q[j * thin.rank + k] / Real(total_);
    }
  }

  void take_unpacked(const std::vector<Real>& summed) {
    std::size_t from = 0;
    for (const Thin& thin : tensors_) from += thin.p_size();
    for (const Shard& part : rest_) {
      paste(sum_.numbers, part, slice(summed, Shard{from, from + part.size()}));
      from += part.size();
    }
  }

  const PowerSgd& codec_;
  Rank<Real>& rank_;
  Shard at_;
  Sum<Real>& sum_;
  bool is_timed_;
  std::vector<Thin> tensors_;
  std::vector<Shard> rest_;
  std::vector<Real> drawn_, p_;
  double p_share_ = 0, q_share_ = 0, total_ = 0;
};

}  // namespace

template <class Real>
std::vector<Real> first_basis(const Gang& gang, const PowerSgd& codec, std::int64_t step) {
  std::vector<Real> basis;
  if (gang.size == 0) return basis;
  RandomStream random(gang.seed, {"parallel", "powersgd", fmt::to_string(step)});
  for (const Thin& thin : packed_tensors(gang, codec)) {
    for (std::size_t i = 0; i < thin.q_size(); ++i) basis.push_back(Real(random.normal()));
  }
  return basis;
}

std::size_t basis_size(const Gang& gang, const PowerSgd& codec) {
  std::size_t size = 0;
  for (const Thin& thin : packed_tensors(gang, codec)) size += thin.q_size();
  return size;
}

template <class Real>
Task reduce_thin(Env<Real>& env, const PowerSgd& codec, Rank<Real>& rank, const Shard& bucket, Sum<Real>& sum,
                 const std::string& way) {
  Bucket<Real> own(env, codec, rank, bucket, sum);
  Sum<Real> first = own.first();
  co_await all_reduce(env, first, way);
  Sum<Real> second = own.second(first);
  co_await all_reduce(env, second, way);
  own.finish(second);
}

template std::vector<float> first_basis(const Gang&, const PowerSgd&, std::int64_t);
template std::vector<double> first_basis(const Gang&, const PowerSgd&, std::int64_t);
template Task reduce_thin(Env<float>&, const PowerSgd&, Rank<float>&, const Shard&, Sum<float>&, const std::string&);
template Task reduce_thin(Env<double>&, const PowerSgd&, Rank<double>&, const Shard&, Sum<double>&, const std::string&);

}  // namespace dlrun::parallel
