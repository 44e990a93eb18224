// The verbs of koptctl, in the order of --help. To add one: see command.h.
#include "client/commands/command.h"

namespace kernelopt::client {

void AddAllVerbs(CLI::App& app, Context& context) {
  AddSubmit(app, context);
  AddBenchmark(app, context);
  AddStatus(app, context);
  AddWait(app, context);
  AddFollow(app, context);
  AddLogs(app, context);
  AddResult(app, context);
  AddReport(app, context);
  AddVerify(app, context);
  AddCancel(app, context);
  AddRetry(app, context);
  AddHold(app, context);
  AddRelease(app, context);
  AddList(app, context);
  AddSearch(app, context);
  AddQueue(app, context);
  AddWhy(app, context);
  AddQuota(app, context);
  AddDoctor(app, context);
  AddDevice(app, context);
  AddAdmin(app, context);
  AddConfig(app, context);
  AddCompletions(app, context);
  AddMan(app, context);
  AddVersion(app, context);
}

}  // namespace kernelopt::client
