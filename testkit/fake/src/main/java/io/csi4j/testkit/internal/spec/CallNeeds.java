package io.csi4j.testkit.internal.spec;

import io.csi4j.client.internal.text.Rows;
import io.csi4j.client.model.CsiOperation;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The needs of a call, as they stand in {@code needs.tsv}: capabilities of which its service must
 * offer one, if there are any, and required fields.
 */
public record CallNeeds(List<String> capabilities, List<String> fields) {

  private static final Map<CsiOperation, CallNeeds> ALL = read();
  private static final CallNeeds NOTHING = new CallNeeds(List.of(), List.of());

  public static CallNeeds of(CsiOperation operation) {
    return ALL.getOrDefault(operation, NOTHING);
  }

  private static Map<CsiOperation, CallNeeds> read() {
    Map<CsiOperation, CallNeeds> all = new EnumMap<>(CsiOperation.class);
    Rows.of(CallNeeds.class.getResourceAsStream("needs.tsv"), 3)
        .forEach(
            row ->
                all.put(
                    CsiOperation.valueOf(row.get(0)),
                    new CallNeeds(words(row.get(1)), words(row.get(2)))));
    return all;
  }

  private static List<String> words(String cell) {
    return Arrays.stream(cell.split(" ")).filter(word -> !word.isEmpty()).toList();
  }
}
