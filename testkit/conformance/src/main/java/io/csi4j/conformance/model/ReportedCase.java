package io.csi4j.conformance.model;

import java.util.List;
import java.util.Set;

/** A line of a report that belongs to no case of the suite; a run refuses it. */
record ReportedCase(String name, String expectation) implements ConformanceCase {

  @Override
  public String sentence() {
    return "";
  }

  @Override
  public String place() {
    return "";
  }

  @Override
  public List<String> needs() {
    return List.of();
  }

  @Override
  public Set<Integer> errorRows() {
    return Set.of();
  }

  @Override
  public String toString() {
    return name;
  }
}
