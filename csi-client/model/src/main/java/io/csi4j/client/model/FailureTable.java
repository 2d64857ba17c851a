package io.csi4j.client.model;

import io.csi4j.client.internal.text.Rows;
import io.csi4j.client.model.FailureRule.Retry;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The meaning of every status of every operation: the table that classifies all failures. Its rows
 * are in {@code failures.tsv} next to this class.
 *
 * <p>A status has the meaning of its row for {@code any} operation, unless the operation has its
 * own row. If a status stands for several conditions, the row names all of them: only the plugin's
 * text distinguishes them, and csi4j makes no decision by text. These rows apply to answers of a
 * plugin. A status that the client sets because no answer came has the meaning of its {@code
 * unanswered} row; without such a row, the row for any operation applies. If the same request can
 * simply be repeated, the advice also names the resources that the operation may have left behind.
 */
final class FailureTable {

  private static final Map<StatusCode, Row> GENERAL = new EnumMap<>(StatusCode.class);
  private static final Map<StatusCode, Row> UNANSWERED = new EnumMap<>(StatusCode.class);
  private static final Map<CsiOperation, Map<StatusCode, Row>> OWN =
      new EnumMap<>(CsiOperation.class);
  private static final Map<CsiOperation, String> LEFT = new EnumMap<>(CsiOperation.class);

  static {
    Rows.of(FailureTable.class.getResourceAsStream("failures.tsv"), 5).forEach(FailureTable::add);
    for (StatusCode code : StatusCode.values()) {
      if (code != StatusCode.OK && !GENERAL.containsKey(code)) {
        throw new IllegalStateException("No row for the status " + code + ".");
      }
    }
  }

  private static void add(List<String> row) {
    String operation = row.get(0);
    boolean isNew;
    if (row.get(1).equals("may have left")) {
      isNew = LEFT.put(CsiOperation.valueOf(operation), row.get(4)) == null;
    } else {
      Map<StatusCode, Row> section =
          switch (operation) {
            case "any" -> GENERAL;
            case "unanswered" -> UNANSWERED;
            default ->
                OWN.computeIfAbsent(
                    CsiOperation.valueOf(operation), own -> new EnumMap<>(StatusCode.class));
          };
      isNew =
          section.put(
                  StatusCode.valueOf(row.get(1)),
                  new Row(Retry.valueOf(row.get(2)), row.get(3), row.get(4)))
              == null;
    }
    if (!isNew) {
      throw new IllegalStateException("Two rows of one kind: " + row);
    }
  }

  private FailureTable() {}

  /**
   * A row without its operation and code.
   *
   * @param retry the condition under which the call can usefully be repeated
   * @param meaning the meaning of the status, as a clause
   * @param advice the next step, in full sentences
   */
  public record Row(Retry retry, String meaning, String advice) {}

  /**
   * Returns the rule for this operation and code; {@code answered} is false if the client set the
   * code because no answer came.
   */
  public static FailureRule rule(CsiOperation operation, StatusCode code, boolean answered) {
    Row row = (answered ? own(operation) : UNANSWERED).getOrDefault(code, general(code));
    String advice = row.advice();
    if (row.retry() == Retry.BACKOFF) {
      advice = leftBehind(operation).map(rest -> row.advice() + " " + rest).orElse(advice);
    }
    return new FailureRule(operation, code, row.meaning(), row.retry(), outcome(code), advice);
  }

  /**
   * Returns the rows for the codes that the client sets when no answer came, in the order of the
   * codes.
   */
  public static Map<StatusCode, Row> unanswered() {
    return Collections.unmodifiableMap(UNANSWERED);
  }

  /** Returns the rows that are specific to {@code operation}, in the order of their codes. */
  public static Map<StatusCode, Row> own(CsiOperation operation) {
    return Collections.unmodifiableMap(OWN.getOrDefault(operation, Map.of()));
  }

  /**
   * Returns the outcome of a failure with this code. The outcome is settled only if the plugin
   * reports that it refused the call. In doubt it is uncertain: unnecessary cleanup does no harm,
   * but missing cleanup leaks a volume.
   */
  public static Outcome outcome(StatusCode code) {
    return switch (code) {
      case INVALID_ARGUMENT,
          NOT_FOUND,
          ALREADY_EXISTS,
          PERMISSION_DENIED,
          FAILED_PRECONDITION,
          OUT_OF_RANGE,
          UNIMPLEMENTED,
          UNAUTHENTICATED ->
          Outcome.SETTLED;
      case CANCELLED,
          UNKNOWN,
          DEADLINE_EXCEEDED,
          RESOURCE_EXHAUSTED,
          ABORTED,
          INTERNAL,
          UNAVAILABLE,
          DATA_LOSS ->
          Outcome.UNCERTAIN;
      case OK -> throw noFailure();
    };
  }

  /** Returns the meaning of a code for operations without a specific row for it. */
  public static Row general(StatusCode code) {
    Row row = GENERAL.get(code);
    if (row == null) {
      throw noFailure();
    }
    return row;
  }

  /**
   * Returns a sentence about what {@code operation} may have left behind when its result is
   * unknown, and how to clean it up; empty for an operation that changes nothing.
   */
  public static Optional<String> leftBehind(CsiOperation operation) {
    return Optional.ofNullable(LEFT.get(operation));
  }

  private static IllegalArgumentException noFailure() {
    return new IllegalArgumentException("OK is not a failure and has no rule.");
  }
}
