package io.csi4j.conformance.internal.plugin;

import java.util.List;
import java.util.stream.Stream;

/** Every case of the suite. */
public final class Suite {

  private Suite() {}

  /** The cases, in the order in which they run. */
  public static List<SuiteCase> cases() {
    return Stream.of(
            IdentityCases.all(),
            ControllerCases.all(),
            VolumeCases.all(),
            SnapshotCases.all(),
            GroupCases.all(),
            NodeCases.all(),
            MetadataCases.all(),
            ConcurrencyCases.all(),
            StatusCases.all())
        .flatMap(List::stream)
        .toList();
  }
}
