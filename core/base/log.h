// core/base/log.h -- the log of a process: glog's lines, all in one file named after the role.
//
// One event, one line, "key=value key=value".  Warnings and errors go to stderr too, unless stderr is that file.
#pragma once
#include <filesystem>
#include <source_location>
#include <string>
#include <string_view>

#include "core/base/status.h"

namespace rota {

// Lines go to `folder`/`process`.log from here on ("worker-0"); the folder is made.  Call once, after the flags are
// read and before there are threads.
Status init_log(std::string_view process, const std::filesystem::path& folder);

// Where the lines go, for a signal handler; -1 if that is stderr, or nowhere yet.
int log_descriptor();

// Any thread.  In a line, line breaks are shown as "\n", other control characters and bytes that are no UTF-8 as \xNN.
void log_info(const std::string& line, std::source_location at = std::source_location::current());
void log_warning(const std::string& line, std::source_location at = std::source_location::current());
void log_error(const std::string& line, std::source_location at = std::source_location::current());

// `value` as it stands after "key=": quoted, and with its quotes escaped, if it has blanks, quotes or nothing.
std::string log_value(std::string_view value);

}  // namespace rota
