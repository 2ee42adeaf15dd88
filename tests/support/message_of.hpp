#pragma once
// Message of the error that a call is required to throw.
#include <gtest/gtest.h>

#include <exception>
#include <string>

namespace osteon {

/// The message of the `Error` that `call` throws. If `call` throws no error, or an error of another type, the test fails and
/// the message is empty.
template <class Error, class F>
std::string message_of(F&& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another error: " << e.what();
    return {};
  }
  ADD_FAILURE() << "nothing is thrown";
  return {};
}

}  // namespace osteon
