package io.csi4j.testkit.internal.spec;

import io.csi4j.client.internal.text.Rows;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.journal.WireMessage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The requirements of a call, read from {@code needs.tsv} and {@code fields.tsv}. The service must
 * offer at least one of the capabilities, unless the list is empty. The other lists name the
 * required fields, and the fields that need a capability.
 */
public record CallNeeds(
    List<String> capabilities, List<String> fields, List<FieldNeed> optionalFields) {

  private static final Map<CsiOperation, CallNeeds> ALL = read();
  private static final CallNeeds NOTHING = new CallNeeds(List.of(), List.of(), List.of());

  /**
   * A field that only plugins with a certain capability accept.
   *
   * @param path the path of the field in the request, separated by slashes
   * @param part the part of the plugin that offers the capability, such as {@code CONTROLLER}
   */
  public record FieldNeed(String path, String part, String capability) {

    /** Returns the name of the field in its message. */
    public String name() {
      return path.substring(path.indexOf('/') + 1);
    }

    /** Returns whether a request has the field. */
    public boolean isIn(WireMessage request) {
      int slash = path.indexOf('/');
      WireMessage within = slash < 0 ? request : request.message(path.substring(0, slash));
      return within.has(name());
    }
  }

  public static CallNeeds of(CsiOperation operation) {
    return ALL.getOrDefault(operation, NOTHING);
  }

  private static Map<CsiOperation, CallNeeds> read() {
    Map<CsiOperation, List<FieldNeed>> optional = new EnumMap<>(CsiOperation.class);
    for (List<String> row : Rows.of(CallNeeds.class.getResourceAsStream("fields.tsv"), 4)) {
      optional
          .computeIfAbsent(CsiOperation.valueOf(row.get(0)), none -> new ArrayList<>())
          .add(new FieldNeed(row.get(1), row.get(2), row.get(3)));
    }
    Map<CsiOperation, CallNeeds> all = new EnumMap<>(CsiOperation.class);
    for (List<String> row : Rows.of(CallNeeds.class.getResourceAsStream("needs.tsv"), 3)) {
      CsiOperation operation = CsiOperation.valueOf(row.get(0));
      List<FieldNeed> fields = optional.getOrDefault(operation, List.of());
      all.put(operation, new CallNeeds(words(row.get(1)), words(row.get(2)), fields));
    }
    return all;
  }

  private static List<String> words(String cell) {
    return Arrays.stream(cell.split(" ")).filter(word -> !word.isEmpty()).toList();
  }
}
