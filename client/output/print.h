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

// Columns as wide as their widest cell.
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

// The job and its verdict in one line.
std::string JobLine(const v1::Job& job);
// drained, online or offline.
std::string StateOf(const v1::Device& device);
void PrintDevices(const google::protobuf::RepeatedPtrField<v1::Device>& devices);
// Verdicts, times and comparisons of a result, for people.
void PrintResult(const v1::JobResult& result);

}  // namespace kernelopt::client
