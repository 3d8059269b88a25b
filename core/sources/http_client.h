// core/sources/http_client.h -- GET over http and https, through libcurl.
#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"

namespace rota {

struct GetRequest {
  std::string url;
  std::vector<std::string> headers = {};  // "Name: value"
  std::string range = {};                 // "0-99"; "": all
  std::size_t most = 0;                   // bytes of the body: with more the transfer is stopped
  // Takes the body of a success piece by piece, whatever its size, in place of `most`; false stops the transfer.
  std::function<bool(std::string_view)> sink = {};
  // Signed as Amazon's Signature Version 4 with "KEY:SECRET", if it is not empty.  Then no redirect is followed, so
  // that nothing that is signed goes to another host.
  std::string credentials = {}, region = {};
  std::string certificates = {};  // a file of authorities; "": the system's
};

struct GetReply {
  long status = 0;                                         // 0: there was none
  std::map<std::string, std::string, std::less<>> header;  // names in small letters
  std::string body;                                        // as far as it came
  bool stopped = false;                                    // after `most` bytes
  std::string failure;                                     // of the connection or the transfer; "": none
  bool lasting = false;                                    // a failure that another try would meet again: certificates
};

// How long and how often it is tried: ROTA_INPUT_TIMEOUT, ROTA_INPUT_TRIES.
struct Patience {
  long seconds = 30;  // to connect, and without a byte
  int tries = 6;
};
Result<Patience> patience();

// One try.  Any thread may call it.  ExitCode::no_input if libcurl is not there.
Result<GetReply> http_get(const GetRequest& request);

// Tries again as long as trying may help: after failures of the connection, 408, 429 and 5xx, with pauses that double,
// or as long as the server says (Retry-After).  The last reply, whatever it is.
Result<GetReply> http_get_patiently(const GetRequest& request);
// How it waits before try number `tried` + 1, from 1; false if there is none.
bool wait_to_try(int tried, const GetReply& last);
// Whether trying again may help.
bool may_pass(const GetReply& reply);

}  // namespace rota
