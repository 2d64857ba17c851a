package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiService;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.journal.RecordedCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The calls after a refusal: none, another request, or the same after a while. */
final class FailureRules extends DutyRule {

  /**
   * So many repeats in a row, each sooner than that, show that the caller does not wait between
   * them.
   */
  private static final int HAMMERING = 5;

  private static final Duration SOON = Duration.ofMillis(5);

  private static final String CHANGE = " Change the request first.";

  /** How a refused call may be repeated. */
  private enum Way {
    /** With another request only. */
    CHANGED,
    /** Once more, but not again and again. */
    NO_LOOP,
    /** After a while. */
    BACKOFF
  }

  private record Row(CsiOperation operation, StatusCode code, Way way, int duty) {}

  private static final List<Row> ROWS =
      List.of(
          row(CsiOperation.CREATE_VOLUME, StatusCode.ALREADY_EXISTS, Way.CHANGED, 222),
          row(CsiOperation.CREATE_VOLUME, StatusCode.OUT_OF_RANGE, Way.CHANGED, 224),
          row(CsiOperation.CREATE_VOLUME, StatusCode.NOT_FOUND, Way.BACKOFF, 221),
          row(CsiOperation.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED, Way.BACKOFF, 223),
          row(CsiOperation.DELETE_VOLUME, StatusCode.FAILED_PRECONDITION, Way.BACKOFF, 230),
          row(CsiOperation.CONTROLLER_PUBLISH_VOLUME, StatusCode.ALREADY_EXISTS, Way.CHANGED, 248),
          row(
              CsiOperation.CONTROLLER_PUBLISH_VOLUME,
              StatusCode.FAILED_PRECONDITION,
              Way.BACKOFF,
              249),
          row(
              CsiOperation.CONTROLLER_PUBLISH_VOLUME,
              StatusCode.RESOURCE_EXHAUSTED,
              Way.BACKOFF,
              250),
          row(CsiOperation.VALIDATE_VOLUME_CAPABILITIES, StatusCode.NOT_FOUND, Way.BACKOFF, 270),
          row(CsiOperation.CONTROLLER_GET_VOLUME, StatusCode.NOT_FOUND, Way.BACKOFF, 288),
          row(CsiOperation.CONTROLLER_MODIFY_VOLUME, StatusCode.NOT_FOUND, Way.BACKOFF, 297),
          row(CsiOperation.CREATE_SNAPSHOT, StatusCode.ALREADY_EXISTS, Way.CHANGED, 326),
          row(CsiOperation.CREATE_SNAPSHOT, StatusCode.ABORTED, Way.BACKOFF, 327),
          row(CsiOperation.CREATE_SNAPSHOT, StatusCode.RESOURCE_EXHAUSTED, Way.NO_LOOP, 328),
          row(CsiOperation.DELETE_SNAPSHOT, StatusCode.INVALID_ARGUMENT, Way.CHANGED, 334),
          row(CsiOperation.DELETE_SNAPSHOT, StatusCode.FAILED_PRECONDITION, Way.BACKOFF, 335),
          row(CsiOperation.DELETE_SNAPSHOT, StatusCode.ABORTED, Way.BACKOFF, 336),
          row(CsiOperation.GET_SNAPSHOT, StatusCode.NOT_FOUND, Way.BACKOFF, 351),
          row(CsiOperation.CONTROLLER_EXPAND_VOLUME, StatusCode.NOT_FOUND, Way.BACKOFF, 368),
          row(
              CsiOperation.CONTROLLER_EXPAND_VOLUME,
              StatusCode.FAILED_PRECONDITION,
              Way.BACKOFF,
              369),
          row(CsiOperation.CONTROLLER_EXPAND_VOLUME, StatusCode.OUT_OF_RANGE, Way.CHANGED, 370),
          row(CsiOperation.NODE_STAGE_VOLUME, StatusCode.NOT_FOUND, Way.BACKOFF, 388),
          row(CsiOperation.NODE_STAGE_VOLUME, StatusCode.ALREADY_EXISTS, Way.CHANGED, 389),
          row(CsiOperation.NODE_UNSTAGE_VOLUME, StatusCode.NOT_FOUND, Way.BACKOFF, 398),
          row(CsiOperation.NODE_PUBLISH_VOLUME, StatusCode.NOT_FOUND, Way.BACKOFF, 429),
          row(CsiOperation.NODE_PUBLISH_VOLUME, StatusCode.ALREADY_EXISTS, Way.CHANGED, 430),
          row(CsiOperation.NODE_UNPUBLISH_VOLUME, StatusCode.NOT_FOUND, Way.BACKOFF, 440),
          row(CsiOperation.NODE_GET_VOLUME_STATS, StatusCode.NOT_FOUND, Way.BACKOFF, 452),
          row(CsiOperation.NODE_EXPAND_VOLUME, StatusCode.NOT_FOUND, Way.BACKOFF, 481),
          row(CsiOperation.NODE_EXPAND_VOLUME, StatusCode.FAILED_PRECONDITION, Way.CHANGED, 482),
          row(CsiOperation.NODE_EXPAND_VOLUME, StatusCode.OUT_OF_RANGE, Way.CHANGED, 483),
          row(
              CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT,
              StatusCode.ALREADY_EXISTS,
              Way.CHANGED,
              497),
          row(
              CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT,
              StatusCode.FAILED_PRECONDITION,
              Way.NO_LOOP,
              498),
          row(
              CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT,
              StatusCode.INVALID_ARGUMENT,
              Way.CHANGED,
              505),
          row(
              CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT,
              StatusCode.FAILED_PRECONDITION,
              Way.BACKOFF,
              506),
          row(
              CsiOperation.GET_VOLUME_GROUP_SNAPSHOT,
              StatusCode.INVALID_ARGUMENT,
              Way.CHANGED,
              512),
          row(CsiOperation.GET_VOLUME_GROUP_SNAPSHOT, StatusCode.NOT_FOUND, Way.BACKOFF, 513),
          row(CsiOperation.GET_METADATA_ALLOCATED, StatusCode.INVALID_ARGUMENT, Way.CHANGED, 529),
          row(CsiOperation.GET_METADATA_ALLOCATED, StatusCode.NOT_FOUND, Way.NO_LOOP, 530),
          row(CsiOperation.GET_METADATA_ALLOCATED, StatusCode.OUT_OF_RANGE, Way.CHANGED, 531),
          row(CsiOperation.GET_METADATA_DELTA, StatusCode.INVALID_ARGUMENT, Way.CHANGED, 532),
          row(CsiOperation.GET_METADATA_DELTA, StatusCode.NOT_FOUND, Way.NO_LOOP, 533),
          row(CsiOperation.GET_METADATA_DELTA, StatusCode.FAILED_PRECONDITION, Way.CHANGED, 534),
          row(CsiOperation.GET_METADATA_DELTA, StatusCode.OUT_OF_RANGE, Way.CHANGED, 535));

  private static final Map<String, Row> BY_KEY = byKey();

  private static final int[] OTHERS = {
    79, 80, 81, 82, 83, 85, 220, 246, 247, 258, 259, 281, 345, 432
  };

  /** The refusals in a row of one request. */
  private static final class Refused {
    private final RecordedCall last;
    private final long changes;
    private final List<RecordedCall> calls = new ArrayList<>();
    private final List<Duration> pauses = new ArrayList<>();
    private @Nullable Duration pause;

    Refused(RecordedCall last, long changes) {
      this.last = last;
      this.changes = changes;
      calls.add(last);
    }
  }

  private final Map<String, Refused> refused = new HashMap<>();
  private final Map<String, RecordedCall> unimplemented = new HashMap<>();

  /** The snapshots that could not be deleted alone. */
  private final Set<String> members = new HashSet<>();

  FailureRules(Hearing hearing) {
    super(
        hearing,
        "After a refusal",
        IntStream.concat(ROWS.stream().mapToInt(Row::duty), IntStream.of(OTHERS)).toArray());
  }

  @Override
  void began(RecordedCall call) {
    RecordedCall never = unimplemented.get(service(call));
    if (never != null) {
      broken(
          call,
          "although call "
              + never.number()
              + " was told UNIMPLEMENTED. Stop calling it, or read the capabilities again first.",
          List.of(never),
          83);
    }
    if (call.operation() == CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT
        && call.request().texts("snapshot_ids").stream().anyMatch(members::contains)) {
      kept(334);
    }
    Refused before = refused.get(CallSubject.of(call));
    if (before != null) {
      before.pause = Duration.between(before.last.ended().orElseThrow(), call.began());
      again(call, before);
    }
  }

  private void again(RecordedCall call, Refused before) {
    StatusCode code = CallOutcome.code(before.last);
    boolean same = call.request().equals(before.last.request());
    switch (code) {
      case INVALID_ARGUMENT -> {
        changed(call, before, same, RequiredFieldRules.isIncomplete(before.last) ? 79 : 80);
        if (call.operation() == CsiOperation.CREATE_VOLUME
            && before.last.request().has("volume_content_source")) {
          changed(call, before, same, 220);
        }
      }
      case UNAUTHENTICATED -> {
        if (WireFields.knows(call, "secrets")) {
          changed(call, before, same, 85);
        }
      }
      case PERMISSION_DENIED -> noLoop(call, before, same, 81);
      case ABORTED -> {
        if (WireFields.text(call, "starting_token").isEmpty()) {
          backoff(call, before, 82);
        } else {
          changed(call, before, same, call.operation() == CsiOperation.LIST_VOLUMES ? 281 : 345);
        }
      }
      default -> {}
    }
    boolean unchangedWorld = before.changes == world.changes(call);
    boolean sameFields =
        call.request().withoutSecrets().equals(before.last.request().withoutSecrets());
    row(call.operation(), code)
        .ifPresent(
            row -> {
              switch (row.way()) {
                case CHANGED -> {
                  if (unchangedWorld) {
                    changed(call, before, sameFields, row.duty());
                  }
                }
                case NO_LOOP -> {
                  if (unchangedWorld) {
                    noLoop(call, before, sameFields, row.duty());
                  }
                }
                case BACKOFF -> backoff(call, before, row.duty());
              }
            });
    unlisted(call, before, code, sameFields);
  }

  private void unlisted(RecordedCall call, Refused before, StatusCode code, boolean same) {
    KnownVolume volume = world.knownVolume(WireFields.volume(call));
    boolean known = volume != null && volume.created != null && !volume.deleted;
    if (code == StatusCode.NOT_FOUND) {
      if (call.operation() == CsiOperation.CONTROLLER_PUBLISH_VOLUME) {
        backoff(call, before, known ? 247 : 246);
      } else if (call.operation() == CsiOperation.CONTROLLER_UNPUBLISH_VOLUME) {
        backoff(call, before, known ? 259 : 258);
      }
    }
    if (code == StatusCode.FAILED_PRECONDITION && volume != null) {
      switch (call.operation()) {
        case NODE_PUBLISH_VOLUME -> {
          if (before.last.request().text("staging_target_path").isEmpty()
              && world.needsStaging(WireFields.node(call))) {
            changed(call, before, same, 432);
          }
        }
        case DELETE_VOLUME ->
            inTheWay(
                call,
                volume.attachedSomewhere()
                    || volume.publishedSomewhere()
                    || volume.stagedSomewhere(),
                "while the volume is still in use. Free it first.",
                230);
        case CONTROLLER_PUBLISH_VOLUME ->
            inTheWay(
                call,
                volume.attachments().entrySet().stream()
                    .anyMatch(
                        one ->
                            one.getValue().standing()
                                && !one.getKey().equals(WireFields.text(call, "node_id"))),
                "while the volume is still attached to another node. Detach it there first.",
                249);
        case CONTROLLER_EXPAND_VOLUME ->
            inTheWay(
                call,
                volume.publishedSomewhere(),
                "while the volume is still published. Take it offline first.",
                369);
        default -> {}
      }
    }
  }

  private void inTheWay(RecordedCall call, boolean blocked, String why, int duty) {
    judge(!blocked, call, "again after FAILED_PRECONDITION " + why, duty);
  }

  private void changed(RecordedCall call, Refused before, boolean same, int duty) {
    if (same) {
      broken(
          call,
          "again unchanged after "
              + CallOutcome.code(before.last)
              + " for call "
              + before.last.number()
              + "."
              + CHANGE,
          List.of(before.last),
          duty);
    } else {
      kept(duty);
    }
  }

  private void noLoop(RecordedCall call, Refused before, boolean same, int duty) {
    if (same && before.calls.size() > 1) {
      broken(
          call,
          "again and again unchanged after "
              + CallOutcome.code(before.last)
              + ". Report the failure, and repeat only when its cause is gone.",
          before.calls,
          duty);
    } else {
      kept(duty);
    }
  }

  private void backoff(RecordedCall call, Refused before, int duty) {
    List<Duration> pauses = new ArrayList<>(before.pauses);
    Duration pause = before.pause;
    if (pause != null) {
      pauses.add(pause);
    }
    if (isHammering(pauses)) {
      broken(
          call,
          "again and again without a pause after "
              + CallOutcome.code(before.last)
              + ". Check what is in the way, and let the pauses grow.",
          before.calls,
          duty);
    } else {
      kept(duty);
    }
  }

  /** Where no time passes at all the clock stands still, and shows nothing. */
  private static boolean isHammering(List<Duration> pauses) {
    if (pauses.size() < HAMMERING) {
      return false;
    }
    List<Duration> last = pauses.subList(pauses.size() - HAMMERING, pauses.size());
    return last.stream()
            .allMatch(pause -> pause.compareTo(Duration.ZERO) > 0 && pause.compareTo(SOON) < 0)
        && last.get(HAMMERING - 1).compareTo(last.get(0).multipliedBy(2)) <= 0;
  }

  @Override
  void ended(RecordedCall call) {
    StatusCode code = CallOutcome.code(call);
    String service = service(call);
    if (code == StatusCode.UNIMPLEMENTED) {
      unimplemented.putIfAbsent(service, call);
      kept(83);
    }
    if (call.operation() == CsiOperation.DELETE_SNAPSHOT && code == StatusCode.INVALID_ARGUMENT) {
      members.add(call.request().text("snapshot_id"));
    }
    if (CallOutcome.of(call) == CallOutcome.OK) {
      refreshed(call);
    }
    String subject = CallSubject.of(call);
    Refused before = refused.remove(subject);
    if (CallOutcome.of(call) != CallOutcome.REFUSED) {
      return;
    }
    Refused now = new Refused(call, world.changes(call));
    if (before != null && CallOutcome.code(before.last) == code) {
      now.calls.addAll(0, tail(before.calls));
      now.pauses.addAll(tail(before.pauses));
      if (before.pause != null) {
        now.pauses.add(before.pause);
      }
    }
    refused.put(subject, now);
  }

  private static <T> List<T> tail(List<T> list) {
    return list.subList(Math.max(0, list.size() - HAMMERING), list.size());
  }

  private void refreshed(RecordedCall call) {
    switch (call.operation()) {
      case GET_PLUGIN_CAPABILITIES -> unimplemented.clear();
      case CONTROLLER_GET_CAPABILITIES ->
          unimplemented
              .values()
              .removeIf(one -> one.operation().service() == CsiService.CONTROLLER);
      case GROUP_CONTROLLER_GET_CAPABILITIES ->
          unimplemented
              .values()
              .removeIf(one -> one.operation().service() == CsiService.GROUP_CONTROLLER);
      case NODE_GET_CAPABILITIES ->
          unimplemented
              .values()
              .removeIf(
                  one ->
                      one.operation().service() == CsiService.NODE
                          && WireFields.node(one).equals(WireFields.node(call)));
      default -> {}
    }
  }

  @Override
  void happened(JournalEvent event) {
    if (event instanceof JournalEvent.Forgot || event instanceof JournalEvent.Started) {
      refused.clear();
      unimplemented.clear();
    }
  }

  private static String service(RecordedCall call) {
    return call.operation().name() + " " + WireFields.node(call);
  }

  private static Optional<Row> row(CsiOperation operation, StatusCode code) {
    return Optional.ofNullable(BY_KEY.get(operation + " " + code));
  }

  private static Row row(CsiOperation operation, StatusCode code, Way way, int duty) {
    return new Row(operation, code, way, duty);
  }

  private static Map<String, Row> byKey() {
    Map<String, Row> all = new HashMap<>();
    ROWS.forEach(row -> all.put(row.operation() + " " + row.code(), row));
    return Map.copyOf(all);
  }
}
