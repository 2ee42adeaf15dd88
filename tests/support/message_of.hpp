#pragma once
// The text of an error that a call has to throw.
#include <gtest/gtest.h>

#include <exception>
#include <string>

namespace osteon {

/// The message of the `Error` that `call` throws. The test fails, and the message is empty, where it throws nothing or
/// another error.
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
