package io.csi4j.conformance.model;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The cases that ended with the same outcome for the same cause.
 *
 * @param cause the shared cause, as a sentence; if the sentences of the cases differ in names,
 *     numbers or paths, the sentence without these
 * @param results the results, in the order in which they ran
 */
record CauseGroup(String cause, List<CaseResult> results) {

  private static final Pattern QUOTED = Pattern.compile("'[^']*'");
  private static final Pattern PATH = Pattern.compile("(?<![\\w./])/[^\\s,;)']+");

  /** A number, unless it is part of a name, such as D-142, or a gRPC code, such as (13). */
  private static final Pattern NUMBER = Pattern.compile("(?<![\\w(-])\\d+\\b");

  /**
   * Groups results by their causes. A result with several causes belongs to the group of the cause
   * that most results share.
   */
  static List<CauseGroup> of(List<CaseResult> results) {
    List<CauseGroup> groups = new ArrayList<>();
    List<CaseResult> rest = results;
    while (!rest.isEmpty()) {
      Map<String, List<CaseResult>> byCause = new LinkedHashMap<>();
      for (CaseResult each : rest) {
        for (String cause : general(each)) {
          byCause.computeIfAbsent(cause, unseen -> new ArrayList<>()).add(each);
        }
      }
      int most = byCause.values().stream().mapToInt(List::size).max().orElseThrow();
      byCause.values().removeIf(each -> each.size() < most);
      String cause = byCause.keySet().iterator().next();
      List<CaseResult> alike = byCause.values().iterator().next();
      groups.add(new CauseGroup(exact(cause, alike), alike));
      rest = rest.stream().filter(each -> !general(each).contains(cause)).toList();
    }
    return groups;
  }

  /**
   * Returns the first of the results before {@code result} that has the same outcome and all of its
   * causes.
   */
  static Optional<CaseResult> firstLike(CaseResult result, List<CaseResult> results) {
    Set<String> causes = general(result);
    return results.stream()
        .takeWhile(each -> !each.equals(result))
        .filter(each -> each.outcome() == result.outcome())
        .filter(each -> general(each).containsAll(causes))
        .findFirst();
  }

  private static Set<String> general(CaseResult result) {
    return result.causes().isEmpty()
        ? Set.of(result.about().name())
        : result.causes().stream()
            .map(CauseGroup::general)
            .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private static String general(String cause) {
    String unquoted = QUOTED.matcher(cause).replaceAll("'…'");
    return NUMBER.matcher(PATH.matcher(unquoted).replaceAll("…")).replaceAll("…");
  }

  /**
   * Returns the sentence of the cause with its names and numbers, if it is the same in all results.
   */
  private static String exact(String cause, List<CaseResult> results) {
    Set<String> sentences =
        results.stream()
            .map(CaseResult::causes)
            .flatMap(Collection::stream)
            .filter(each -> general(each).equals(cause))
            .collect(Collectors.toSet());
    return sentences.size() == 1 ? sentences.iterator().next() : cause;
  }

  /** Returns the result that represents the group. */
  CaseResult first() {
    return results.get(0);
  }

  /** Returns the names of the cases, except the first case, that have no additional cause. */
  List<String> others() {
    Set<String> shown = general(first());
    return results.stream()
        .skip(1)
        .filter(each -> shown.containsAll(general(each)))
        .map(each -> each.about().name())
        .toList();
  }

  /**
   * Returns the causes that the first case does not have, with the names of the cases that have
   * them.
   */
  Map<String, List<String>> furtherCauses() {
    Set<String> shown = general(first());
    Map<String, List<String>> further = new LinkedHashMap<>();
    for (CaseResult each : results) {
      List<String> causes =
          each.causes().stream().filter(cause -> !shown.contains(general(cause))).toList();
      if (!causes.isEmpty()) {
        further.put(each.about().name(), causes);
      }
    }
    return further;
  }
}
