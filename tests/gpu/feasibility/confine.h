#pragma once

namespace kernelopt::feasibility {

void Confine();
int ConfinedMain(const char* how);  // the process under one restriction

}  // namespace kernelopt::feasibility
