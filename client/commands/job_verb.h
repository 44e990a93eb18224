// Verbs that change one job and show it: hold, release.
#pragma once

#include <cstdio>
#include <string>

#include "client/commands/command.h"
#include "client/output/print.h"

namespace kernelopt::client {

template <class Request, class Response>
Exit ChangeJob(Context& context, const std::string& given,
               grpc::Status (v1::JobService::Stub::*method)(grpc::ClientContext*, const Request&,
                                                            Response*)) {
  const auto name = JobName(given);
  if (!name.ok()) return Fail(context, name.status());
  Request request;
  request.set_name(*name);
  const auto response = context.client().Call(context.client().jobs(), method, request);
  if (!response.ok()) return Fail(context, response.status());
  if (context.json) {
    PrintJson("job", response->job());
  } else {
    std::printf("%s\n", JobLine(response->job()).c_str());
  }
  return Exit::kOk;
}

}  // namespace kernelopt::client
