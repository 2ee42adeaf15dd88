#pragma once
/// @file
/// How the ranks' partial images become one picture: in which pixels, by which method, over which transport.
#include <optional>
#include <osteon/comm/composite/compositor.hpp>
#include <string>

namespace osteon::render {

/// A wish. What it leaves open is, for a series of pictures, chosen by the model of the measured machine; one picture is
/// joined by the usual method over messages before a machine is measured.
struct compositing {
  /// `wide`: the picture has the same bits for any number of ranks. `rgba16f`, `rgba32f`: at most a level of an 8-bit
  /// picture off, for an eighth or a quarter of the bytes. `rgba8`: only where no layer gives off more light than it holds
  /// back.
  kernel::colour_format pixels = kernel::colour_format::wide;
  std::optional<comm::transport> by;
  std::string method;   ///< of messages, as plan::composite_method::parse takes it
  bool series = false;  ///< many pictures of one size will come

  friend bool operator==(const compositing&, const compositing&) = default;
};

/// What is open in `how` is set from a text: `auto`, METHOD, METHOD,TRANSPORT or a TRANSPORT: messages, shared, hybrid.
/// A method alone goes by messages.
/// @throws usage_error for an unknown method or transport, or a method of shared memory
compositing parse_compositing(const std::string& text, kernel::colour_format pixels = kernel::colour_format::wide);

/// The method of messages for who has measured nothing: direct send of what is drawn, whose messages grow with the square,
/// up to 16 ranks; then binary swap.
std::string usual_method(int ranks);

/// @throws usage_error if the method cannot be used by so many ranks @collective local
void check_compositing(const compositing& how, int ranks);

/// The same, if all that is composited is opaque: pixels of a quarter of the bytes then give the bits of wide ones.
compositing of_opaque(compositing how);

/// Pixels of the formats that a picture may be composited in. @throws usage_error with their names
kernel::colour_format parse_pixels(const std::string& text);

}  // namespace osteon::render
