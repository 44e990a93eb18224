// Every file a job refers to. A new field with files in job.proto belongs here,
// or its blobs are neither checked nor kept.
#pragma once

#include "kernelopt/v1/job.pb.h"

namespace kernelopt::server {

template <class Visit>
void EachFile(const v1::JobSpec& spec, Visit visit) {
  visit(spec.problem().reference());
  if (spec.problem().has_definition()) visit(spec.problem().definition());
  for (const v1::SourceFile& file : spec.problem().files()) visit(file);
  for (const v1::SubjectSpec& subject : spec.subjects()) {
    for (const v1::SourceFile& file : subject.solution().files()) visit(file);
  }
}

}  // namespace kernelopt::server
