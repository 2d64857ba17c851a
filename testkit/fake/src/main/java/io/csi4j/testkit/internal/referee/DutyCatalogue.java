package io.csi4j.testkit.internal.referee;

import io.csi4j.client.internal.text.Rows;
import io.csi4j.client.model.CsiOperation;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the judgements from {@code judgements.tsv}. A judgement assigns duties and a text to a
 * condition.
 */
final class DutyCatalogue {

  private static final Map<String, Judgements> JUDGEMENTS = judgements();

  private DutyCatalogue() {}

  static Judgements judgements(String rule) {
    return JUDGEMENTS.getOrDefault(rule, new Judgements(Map.of()));
  }

  /**
   * The duties of a condition, and the text for a breach. The text is {@code ""} if the condition
   * only records kept duties.
   */
  record Judgement(List<Integer> duties, String words) {}

  /**
   * The judgements of one rule. The key contains the operation and the condition, or only the
   * condition if the judgement applies to any operation.
   */
  record Judgements(Map<String, Judgement> rows) {

    Iterable<Judgement> all() {
      return rows.values();
    }

    @Nullable Judgement find(CsiOperation operation, String about) {
      Judgement own = rows.get(operation.name() + " " + about);
      return own != null ? own : rows.get(" " + about);
    }

    Judgement get(CsiOperation operation, String about) {
      Judgement found = find(operation, about);
      if (found == null) {
        throw new IllegalStateException(
            "judgements.tsv has no row for " + operation + " about " + about);
      }
      return found;
    }
  }

  private static Map<String, Judgements> judgements() {
    Map<String, Judgements> all = new HashMap<>();
    for (List<String> cells :
        Rows.of(DutyCatalogue.class.getResourceAsStream("judgements.tsv"), 5)) {
      List<Integer> duties = Arrays.stream(cells.get(3).split(",")).map(Integer::valueOf).toList();
      all.computeIfAbsent(cells.get(0), rule -> new Judgements(new HashMap<>()))
          .rows()
          .put(cells.get(1) + " " + cells.get(2), new Judgement(duties, cells.get(4)));
    }
    return all;
  }
}
