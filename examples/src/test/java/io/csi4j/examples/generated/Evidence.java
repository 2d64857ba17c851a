package io.csi4j.examples.generated;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The tests that show the rows of a list. A test shows a row if it asserts it by name: one of its
 * assertions has a description that begins with the row's name and a colon, {@code .as("A7: the
 * plugin is asked again")} or {@code .as("A7 A11: ...")}, and the test cannot pass without it. The
 * test carries the row as a tag as well, so that it is run by it.
 *
 * @param shown the proofs of each row, by its name
 * @param problems names that prove nothing, in sentences
 */
record Evidence(SortedMap<String, List<Proof>> shown, List<String> problems) {

  /**
   * Tests that play random or generic histories: that one of them might have met a row is no
   * evidence for it.
   */
  private static final Set<String> HISTORIES =
      Set.of(
          "SimulatorTest",
          "ClaimSimulationTest",
          "KillPointsTest",
          "KillCampaignTest",
          "EtcdContentionTest");

  /**
   * An assertion that shows a row.
   *
   * @param test the test with the assertion
   * @param words what the assertion speaks of
   */
  record Proof(WrittenTest test, Set<String> words) {}

  /**
   * Gathers the evidence for one list.
   *
   * @param name the form of the names of its rows
   */
  static Evidence of(List<WrittenTest> tests, Pattern name) {
    SortedMap<String, List<Proof>> shown = new TreeMap<>();
    List<String> problems = new ArrayList<>();
    for (WrittenTest test : tests) {
      Set<String> asserted = new TreeSet<>();
      for (WrittenAssertion assertion : test.assertions()) {
        for (String row : rows(assertion.label(), name)) {
          asserted.add(row);
          String flaw = flaw(test, assertion);
          if (!flaw.isEmpty()) {
            problems.add("Row " + row + " is not shown by " + test.name() + ": " + flaw + ".");
          } else {
            shown
                .computeIfAbsent(row, each -> new ArrayList<>())
                .add(new Proof(test, assertion.words()));
          }
        }
      }
      Set<String> tagged = new TreeSet<>(test.tags());
      tagged.removeIf(tag -> !name.matcher(tag).matches());
      if (!tagged.equals(asserted)) {
        problems.add(
            test.name() + " is tagged with " + tagged + " and asserts by name " + asserted + ".");
      }
    }
    return new Evidence(shown, List.copyOf(problems));
  }

  private static String flaw(WrittenTest test, WrittenAssertion assertion) {
    if (HISTORIES.contains(test.type())) {
      return "it plays histories that need not meet the row";
    }
    return test.idle().isEmpty() ? assertion.flaw() : test.idle();
  }

  /** The rows that a description names, in order. */
  private static List<String> rows(String label, Pattern name) {
    int colon = label.indexOf(": ");
    List<String> names = colon < 0 ? List.of() : List.of(label.substring(0, colon).split(" ", -1));
    return names.stream().allMatch(each -> name.matcher(each).matches()) ? names : List.of();
  }

  /**
   * The classes with a test of a row, those of other modules than the volume manager with theirs.
   */
  Set<String> classes(String row) {
    Set<String> classes = new TreeSet<>();
    shown.getOrDefault(row, List.of()).forEach(proof -> classes.add(name(proof.test())));
    return classes;
  }

  private static String name(WrittenTest test) {
    return test.module().isEmpty() || test.module().startsWith("volume-manager/")
        ? test.type()
        : test.type() + " of " + test.module();
  }

  /** True if only the campaigns run the tests of a row in one of its classes. */
  boolean isCampaign(String row, String type) {
    return shown.getOrDefault(row, List.of()).stream()
        .map(Proof::test)
        .filter(test -> name(test).equals(type))
        .allMatch(WrittenTest::isCampaign);
  }

  /** True if an assertion of a row speaks of this word, such as a code. */
  boolean names(String row, String word) {
    return shown.getOrDefault(row, List.of()).stream()
        .anyMatch(proof -> proof.words().contains(word));
  }
}
