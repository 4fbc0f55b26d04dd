// SPDX-License-Identifier: Apache-2.0
// Event files of TensorBoard: TFRecord frames around messages `Event`.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "exchange/protobuf.hpp"

namespace dlrun::exchange {

/// One value of a curve. TensorBoard keeps scalars as 32-bit floats.
struct Scalar {
  double time = 0;  ///< seconds since 1970, UTC
  std::int64_t step = 0;
  std::string_view tag;
  double value = 0;
};

/// Length, checksum of the length, bytes, checksum of the bytes.
std::string framed(std::string_view bytes);

/// The first event of every file, framed.
std::string version_event(double time);
std::string scalar_event(const Scalar& scalar);
/// An event of the plugin `hparams`, framed.
/// @param content  message HParamsPluginData (hparams.hpp)
std::string hparams_event(double time, std::string_view tag, const Message& content);

}  // namespace dlrun::exchange
