package io.csi4j.client.internal.text;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The maximum sizes of fields in the spec, in bytes of UTF-8. The limits are in {@code
 * field-limits.tsv} next to this class. The client, the testkit's referee and the conformance
 * suites read the same limits, but each implements its own checks.
 */
public final class FieldLimits {

  private static final Map<String, List<String>> ROWS =
      Rows.of(FieldLimits.class.getResourceAsStream("field-limits.tsv"), 4).stream()
          .collect(Collectors.toUnmodifiableMap(row -> row.get(0), row -> row));

  /** The limit of a text field that the table does not list. */
  public static final int TEXT = of("any text");

  /** The limit of a map: the total size of its keys and values. */
  public static final int MAP = of("any map");

  /** The limit of mount flags: the total size of all entries. */
  public static final int MOUNT_FLAGS = of("mount_flags");

  /** The limit of the id of a node. */
  public static final int NODE_ID = of("node_id");

  /**
   * The fields that are paths: a plugin must accept a path of {@link #TEXT} bytes, and may accept a
   * longer path.
   */
  public static final Set<String> PATHS =
      ROWS.values().stream()
          .filter(row -> row.get(1).equals("path"))
          .map(row -> row.get(0))
          .collect(Collectors.toUnmodifiableSet());

  private FieldLimits() {}

  /** Returns the limit of a text in this field. */
  public static int ofText(String field) {
    return ROWS.containsKey(field) ? of(field) : TEXT;
  }

  private static int of(String field) {
    return Integer.parseInt(Objects.requireNonNull(ROWS.get(field)).get(2));
  }
}
