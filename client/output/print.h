// How results look: JSON for programs, tables and sentences for people.
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "client/commands/command.h"

namespace kernelopt::client {

// One line of JSON: {"schema_version":1,"<key>":<message>}.
void PrintJson(const std::string& key, const google::protobuf::Message& message);
std::string ToJson(const google::protobuf::Message& message);

// Colours a state, verdict or mark by what it says, where the user wants colour
// (--color, NO_COLOR, CLICOLOR_FORCE, a terminal).
std::string Paint(const Context& context, const std::string& word);

// "paused" and the like: a sentence for people, {"done": ...} for programs.
Exit Done(const Context& context, const std::string& sentence);

// Columns as wide as their widest cell; colours do not count.
void PrintTable(const std::vector<std::string>& head,
                const std::vector<std::vector<std::string>>& rows);

// "12.3 us", "4.56 ms".
std::string TimeText(double us);
// "12 s ago", "3 h ago".
std::string Ago(const google::protobuf::Timestamp& time);
// QUEUED, CORRECT, FASTER...: enum names without their prefix.
std::string Short(v1::JobState state);
std::string Short(v1::Verdict verdict);
std::string Short(v1::Outcome outcome);

// interactive, normal, batch.
std::string ClassName(v1::Priority priority);

// Asks for a page of jobs and shows it as a table (or JSON).
Exit ShowJobs(Context& context, const v1::ListJobsRequest& request);
// The job and its verdict in one line.
std::string JobLine(const v1::Job& job);
// drained, quarantined, faulty, reserved, online or offline.
std::string StateOf(const v1::Device& device);
void PrintDevices(const Context& context,
                  const google::protobuf::RepeatedPtrField<v1::Device>& devices);
// Verdicts, times and comparisons of a result, for people.
void PrintResult(const Context& context, const v1::JobResult& result);

}  // namespace kernelopt::client
