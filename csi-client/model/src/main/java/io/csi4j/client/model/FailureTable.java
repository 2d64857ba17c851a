package io.csi4j.client.model;

import io.csi4j.client.internal.text.Rows;
import io.csi4j.client.model.FailureRule.Retry;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The meaning of every status of every operation: the one table that all failures are judged by.
 * Its rows are in {@code failures.tsv} beside this class.
 *
 * <p>A status means what its row for {@code any} operation says, unless the operation has a row of
 * its own. Where a status stands for several conditions, its row names them all, for nothing but
 * the plugin's text tells them apart, and no decision is made by text. These rows are about what a
 * plugin answers. A status that this side gives, as no answer came, means what its {@code
 * unanswered} row says, or else that for any operation. Where the same request may simply be
 * repeated, the advice goes on with what the operation may have left behind.
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
        throw new IllegalStateException("No row says what " + code + " means.");
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
   * A row before it is bound to an operation and a code.
   *
   * @param retry what has to happen before the call makes sense again
   * @param meaning what the status means, as a clause
   * @param advice what to do next, in full sentences
   */
  public record Row(Retry retry, String meaning, String advice) {}

  /** The rule for this operation and code, which a plugin answered or stands for no answer. */
  public static FailureRule rule(CsiOperation operation, StatusCode code, boolean answered) {
    Row row = (answered ? own(operation) : UNANSWERED).getOrDefault(code, general(code));
    String advice = row.advice();
    if (row.retry() == Retry.BACKOFF) {
      advice = leftBehind(operation).map(rest -> row.advice() + " " + rest).orElse(advice);
    }
    return new FailureRule(operation, code, row.meaning(), row.retry(), outcome(code), advice);
  }

  /** The rows for a status that stands for a missing answer, in the order of their codes. */
  public static Map<StatusCode, Row> unanswered() {
    return Collections.unmodifiableMap(UNANSWERED);
  }

  /** The rows of its own that {@code operation} has, in the order of their codes. */
  public static Map<StatusCode, Row> own(CsiOperation operation) {
    return Collections.unmodifiableMap(OWN.getOrDefault(operation, Map.of()));
  }

  /**
   * Returns what a failure with this code leaves behind. It is settled only where the plugin says
   * that it refused: undoing too much loses nothing, undoing too little leaks a volume.
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

  /** Returns what a code means where an operation has no row of its own for it. */
  public static Row general(StatusCode code) {
    Row row = GENERAL.get(code);
    if (row == null) {
      throw noFailure();
    }
    return row;
  }

  /**
   * Returns what {@code operation} may have left behind when its end is not known, and how to
   * settle that; nothing for an operation that changes nothing.
   */
  public static Optional<String> leftBehind(CsiOperation operation) {
    return Optional.ofNullable(LEFT.get(operation));
  }

  private static IllegalArgumentException noFailure() {
    return new IllegalArgumentException("OK is no failure; no rule is kept for it.");
  }
}
