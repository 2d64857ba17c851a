package io.csi4j.examples.generated;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Defects of other systems of this kind, each with the test that keeps it out of this one.
 *
 * @param stories the stories, in order
 */
record Museum(List<Story> stories) {

  private static final String INTRODUCTION =
      """
      # A museum of defects

      Defects of other systems that cost their users data or hours, and what csi4j does instead. A test's name begins with its origin.

      `MuseumTest` generates this page:
      `mvn test -Dtest=MuseumTest -Dsurefire.failIfNoSpecifiedTests=false -Dcsi4j.regenerate=true`.

      """;

  /**
   * A defect of another system.
   *
   * @param origin the project, and the numbers of the reports
   * @param wrong what went wrong there
   * @param here what this project does instead
   * @param test the class and method of its test
   */
  record Story(String origin, String wrong, String here, String test) {

    /** The beginning of the name of its test, such as {@code nomad25813_}. */
    String prefix() {
      String first = origin.split(",", -1)[0];
      String project = first.replaceFirst("[- ].*", "");
      String number = first.contains("#") ? first.substring(first.indexOf('#') + 1) : "";
      // The name of the project ends with a digit.
      return project + (project.equals("h2") ? "Issue" : "") + number + "_";
    }
  }

  static Museum load() throws IOException {
    List<Story> stories = new ArrayList<>();
    for (String[] cells : GeneratedPage.rows("museum.txt", 4)) {
      stories.add(new Story(cells[0], cells[1], cells[2], cells[3]));
    }
    return new Museum(List.copyOf(stories));
  }

  /** Everything that is wrong, in sentences; nothing if all is well. */
  List<String> problems(List<WrittenTest> tests) {
    List<String> problems = new ArrayList<>();
    Set<String> shown = new HashSet<>();
    for (Story story : stories) {
      List<WrittenTest> found =
          tests.stream().filter(test -> test.name().equals(story.test())).toList();
      String method = story.test().substring(story.test().indexOf('#') + 1);
      if (!shown.add(story.test())) {
        problems.add(story.test() + " is the test of two stories.");
      }
      if (!method.startsWith(story.prefix())) {
        problems.add(story.test() + " does not begin with its origin, " + story.prefix() + ".");
      }
      if (found.size() != 1) {
        problems.add("There are " + found.size() + " tests " + story.test() + ".");
      } else if (!found.get(0).body().contains("assert")) {
        problems.add(story.test() + " asserts nothing.");
      }
    }
    return problems;
  }

  /** The page for people. */
  String page(List<WrittenTest> tests) {
    StringBuilder page = new StringBuilder(INTRODUCTION);
    page.append("| origin | defect | csi4j | test |\n").append("|---|---|---|---|\n");
    for (Story story : stories) {
      String where =
          tests.stream()
              .filter(test -> test.name().equals(story.test()))
              .map(test -> test.module() + (test.isCampaign() ? ", campaign" : ""))
              .findFirst()
              .orElse("");
      page.append("| " + story.origin() + " | " + story.wrong() + " | " + story.here())
          .append(" | `" + story.test() + "` (" + where + ") |\n");
    }
    return page.toString();
  }
}
