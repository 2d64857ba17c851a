package io.csi4j.conformance.internal.plugin;

import io.csi4j.client.internal.text.Rows;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All cases of the suite. Each case is a row of {@code cases.tsv} with its steps. */
public final class Suite {

  private static final List<SuiteCase> CASES = read();

  private Suite() {}

  /** Returns the cases, in the order in which they run. */
  public static List<SuiteCase> cases() {
    return CASES;
  }

  private static List<SuiteCase> read() {
    CaseSteps steps = new CaseSteps();
    IdentityCases.addTo(steps);
    ControllerCases.addTo(steps);
    HealthCases.addTo(steps);
    VolumeCases.addTo(steps);
    SnapshotCases.addTo(steps);
    NodeCases.addTo(steps);
    MetadataCases.addTo(steps);
    ConcurrencyCases.addTo(steps);
    List<SuiteCase> cases =
        Rows.of(Suite.class.getResourceAsStream("cases.tsv"), 9).stream()
            .map(row -> of(row, steps))
            .toList();
    steps.checkAllTaken();
    return cases;
  }

  private static SuiteCase of(List<String> row, CaseSteps steps) {
    List<Need> needs = words(row.get(3)).map(Need::valueOf).toList();
    Set<Integer> errorRows = words(row.get(4)).map(Integer::valueOf).collect(Collectors.toSet());
    return new SuiteCase(
        row.get(0),
        SuiteCase.Strength.valueOf(row.get(1)),
        row.get(2),
        needs,
        errorRows,
        row.get(5),
        row.get(6),
        steps.take(row.get(0), row.get(7), row.get(8)));
  }

  static Stream<String> words(String cell) {
    return Arrays.stream(cell.split(" ")).filter(word -> !word.isEmpty());
  }
}
