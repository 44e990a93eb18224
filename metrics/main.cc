// kernelopt-metrics: serves the daemon's metrics to Prometheus.
//
// A process of its own, so that the daemon needs no network: it asks the daemon
// (as whoever it runs as; any user may) and hands the text on. Reads only; on
// 127.0.0.1 unless told otherwise.
#include <httplib.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>

#include "client/lib/client.h"
#include "spdlog/spdlog.h"
#include "support/log.h"
#include "support/notify.h"

namespace {

using kernelopt::client::Client;

// The daemon's text and whether it answers; Prometheus keeps scraping either way.
std::string Scrape(Client& client) {
  const auto response =
      client.Call(client.system(), &kernelopt::v1::SystemService::Stub::GetMetrics,
                  kernelopt::v1::GetMetricsRequest());
  const std::string up =
      "# HELP kernelopt_up 1 while the daemon answers.\n# TYPE kernelopt_up gauge\nkernelopt_up ";
  if (response.ok()) return response->text() + up + "1\n";
  spdlog::warn("kernelopt-d does not answer: {}", std::string(response.status().message()));
  return up + "0\n";
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"kernelopt-metrics: Prometheus metrics of kernelopt-d over HTTP"};
  std::string socket = "/run/kernelopt/kernelopt.sock", host = "127.0.0.1", format = "text";
  int port = 9464;
  app.add_option("--socket", socket, "socket of kernelopt-d")->capture_default_str();
  app.add_option("--host", host, "address to listen on")->capture_default_str();
  app.add_option("--port", port, "port to listen on; 0: any free one, which is printed")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535));
  app.add_option("--log-format", format, "text or json")->capture_default_str();
  app.set_version_flag("--version", KOPT_VERSION);
  CLI11_PARSE(app, argc, argv);
  kernelopt::support::StartLog("kernelopt-metrics");
  if (absl::Status s = kernelopt::support::SetLogFormat(format); !s.ok()) {
    std::fprintf(stderr, "kernelopt-metrics: %s\n", std::string(s.message()).c_str());
    return 2;
  }

  Client client(socket);
  httplib::Server server;
  server.set_read_timeout(std::chrono::seconds(5));
  server.set_payload_max_length(1024);
  server.Get("/metrics", [&](const httplib::Request&, httplib::Response& response) {
    response.set_content(Scrape(client), "text/plain; version=0.0.4");
  });
  server.Get("/", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("kernelopt-metrics: see /metrics\n", "text/plain");
  });
  if (port == 0) {
    port = server.bind_to_any_port(host);
  } else if (!server.bind_to_port(host, port)) {
    port = -1;
  }
  if (port < 0) {
    std::fprintf(stderr, "kernelopt-metrics: cannot listen on %s: is the port taken?\n", host.c_str());
    return 1;
  }
  std::printf("http://%s:%d/metrics\n", host.c_str(), port);
  std::fflush(stdout);
  kernelopt::support::NotifySystemd("READY=1");
  return server.listen_after_bind() ? 0 : 1;
}
