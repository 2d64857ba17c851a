package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.journal.RecordedCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rules for calls after a refusal. Depending on the refusal, the caller must not repeat the call,
 * must change the request, or must pause first.
 */
final class FailureRules extends DutyRule {

  /**
   * Number of consecutive repeats with too short pauses that proves a caller which does not wait.
   */
  private static final int HAMMERING = 5;

  private static final Duration SOON = Duration.ofMillis(5);

  /**
   * Operations whose error tables in the spec use SHOULD or MAY, not MUST, for INVALID_ARGUMENT.
   */
  private static final Set<CsiOperation> MILDER =
      Set.of(
          CsiOperation.CONTROLLER_MODIFY_VOLUME,
          CsiOperation.CONTROLLER_EXPAND_VOLUME,
          CsiOperation.NODE_EXPAND_VOLUME,
          CsiOperation.DELETE_SNAPSHOT,
          CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT,
          CsiOperation.GET_VOLUME_GROUP_SNAPSHOT,
          CsiOperation.GET_METADATA_ALLOCATED,
          CsiOperation.GET_METADATA_DELTA);

  /** The consecutive refusals of calls with one subject. */
  private static final class Refused {

    private final RecordedCall last;
    private final long changes;
    private final List<RecordedCall> calls = new ArrayList<>();
    private final List<Duration> pauses = new ArrayList<>();
    private @Nullable Duration pause;

    /** Number of most recent calls with the same request as the previous call. */
    private int repeats;

    /**
     * Number of most recent calls with the same request as the previous call, apart from secrets,
     * although nothing had changed between the two calls.
     */
    private int vainRepeats;

    private boolean repeated;
    private boolean repeatedInVain;

    Refused(RecordedCall last, long changes) {
      this.last = last;
      this.changes = changes;
      calls.add(last);
    }
  }

  private final Map<String, Refused> refused = new HashMap<>();

  /** For each subject, the call that was answered with UNIMPLEMENTED. */
  private final Map<String, RecordedCall> unimplemented = new HashMap<>();

  /** Snapshots that the plugin refused to delete individually, because they belong to a group. */
  private final Set<String> members = new HashSet<>();

  FailureRules(Hearing hearing) {
    super(hearing, "After a refusal");
  }

  @Override
  void began(RecordedCall call) {
    RecordedCall never = unimplemented.get(WireFields.subject(call));
    if (never != null) {
      judge(false, List.of(never), call, "unimplemented", never.number());
    }
    if (call.operation() == CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT
        && call.request().texts("snapshot_ids").stream().anyMatch(members::contains)) {
      kept(call, "members");
    }
    Refused before = refused.get(WireFields.subject(call));
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
        if (RequiredFieldRules.isIncomplete(before.last)
            && call.operation().service() != CsiOperation.Service.SNAPSHOT_METADATA) {
          changed(call, before, same, "incomplete");
        } else if (!MILDER.contains(call.operation())) {
          changed(call, before, same, "invalid");
        }
        if (call.operation() == CsiOperation.CREATE_VOLUME
            && before.last.request().has("volume_content_source")) {
          changed(call, before, same, "invalid source");
        }
      }
      case UNAUTHENTICATED -> {
        if (WireFields.knows(call, "secrets")) {
          // A single repeat is not a breach, because the same secrets may have become valid since
          // the refusal.
          noLoop(call, before, same && before.repeats > 0, "secrets");
        }
      }
      case PERMISSION_DENIED -> noLoop(call, before, same && before.repeats > 0, "denied");
      case ABORTED -> {
        if (WireFields.text(call, "starting_token").isEmpty()) {
          backoff(call, before, "aborted");
        } else {
          changed(call, before, same, "aborted page");
        }
      }
      default -> {}
    }
    boolean unchangedWorld = before.changes == world.changes(call);
    boolean sameFields =
        call.request().withoutSecrets().equals(before.last.request().withoutSecrets());
    if (unchangedWorld && isJudged(call, code + " changed")) {
      changed(call, before, sameFields, code + " changed");
    }
    if (unchangedWorld && isJudged(call, code + " no loop")) {
      noLoop(call, before, sameFields && before.vainRepeats > 0, code + " no loop");
    }
    if (isJudged(call, code + " backoff")) {
      backoff(call, before, code + " backoff");
    }
    unlisted(call, before, code, sameFields);
    before.repeated = same;
    before.repeatedInVain = sameFields && unchangedWorld;
  }

  private void unlisted(RecordedCall call, Refused before, StatusCode code, boolean same) {
    KnownVolume volume = world.knownVolume(WireFields.volume(call));
    if (code == StatusCode.NOT_FOUND && isJudged(call, "unknown node")) {
      boolean known = volume != null && volume.created != null && !volume.deleted;
      backoff(call, before, known ? "unknown node" : "unknown volume");
    }
    if (code == StatusCode.FAILED_PRECONDITION && volume != null) {
      switch (call.operation()) {
        case NODE_PUBLISH_VOLUME -> {
          if (before.last.request().text("staging_target_path").isEmpty()
              && world.needsStaging(WireFields.node(call))) {
            changed(call, before, same, "no staging path");
          }
        }
        case DELETE_VOLUME -> {
          boolean used =
              volume.attachedSomewhere()
                  || volume.publications.somewhere()
                  || volume.stagings.somewhere();
          judge(!used, call, "in the way");
        }
        case CONTROLLER_PUBLISH_VOLUME -> {
          String node = WireFields.text(call, "node_id");
          boolean elsewhere =
              volume.attachments.entrySet().stream()
                  .anyMatch(one -> one.getValue().standing() && !one.getKey().equals(node));
          judge(!elsewhere, call, "in the way");
        }
        case CONTROLLER_EXPAND_VOLUME ->
            judge(!volume.publications.somewhere(), call, "in the way");
        default -> {}
      }
    }
  }

  /** Judges the repetition of a call that may be repeated only with a changed request. */
  private void changed(RecordedCall call, Refused before, boolean same, String about) {
    StatusCode code = CallOutcome.code(before.last);
    judge(!same, List.of(before.last), call, about, code, before.last.number());
  }

  /** Judges the repetition of a call that may be repeated once, but not in a loop. */
  private void noLoop(RecordedCall call, Refused before, boolean loops, String about) {
    judge(!loops, before.calls, call, about, CallOutcome.code(before.last));
  }

  /** Judges the repetition of a call that may be repeated only after a pause. */
  private void backoff(RecordedCall call, Refused before, String about) {
    List<Duration> pauses = new ArrayList<>(before.pauses);
    Duration pause = before.pause;
    if (pause != null) {
      pauses.add(pause);
    }
    judge(!isHammering(pauses), before.calls, call, about, CallOutcome.code(before.last));
  }

  /**
   * A pause of zero means that the clock is virtual and was not advanced, so such a pause is no
   * proof.
   */
  private static boolean isHammering(List<Duration> pauses) {
    if (pauses.size() < HAMMERING) {
      return false;
    }
    List<Duration> last = tail(pauses);
    return last.stream()
            .allMatch(pause -> pause.compareTo(Duration.ZERO) > 0 && pause.compareTo(SOON) < 0)
        && last.get(HAMMERING - 1).compareTo(last.get(0).multipliedBy(2)) <= 0;
  }

  @Override
  void ended(RecordedCall call) {
    StatusCode code = CallOutcome.code(call);
    if (code == StatusCode.UNIMPLEMENTED) {
      unimplemented.putIfAbsent(WireFields.subject(call), call);
      kept(call, "unimplemented");
    }
    if (call.operation() == CsiOperation.DELETE_SNAPSHOT && code == StatusCode.INVALID_ARGUMENT) {
      members.add(call.request().text("snapshot_id"));
    }
    if (CallOutcome.of(call) == CallOutcome.OK) {
      refreshed(call);
    }
    String subject = WireFields.subject(call);
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
      now.repeats = before.repeated ? before.repeats + 1 : 0;
      now.vainRepeats = before.repeatedInVain ? before.vainRepeats + 1 : 0;
    }
    refused.put(subject, now);
  }

  private static <T> List<T> tail(List<T> list) {
    return list.subList(Math.max(0, list.size() - HAMMERING), list.size());
  }

  private void refreshed(RecordedCall call) {
    switch (call.operation()) {
      case GET_PLUGIN_CAPABILITIES -> unimplemented.clear();
      case CONTROLLER_GET_CAPABILITIES, GROUP_CONTROLLER_GET_CAPABILITIES, NODE_GET_CAPABILITIES ->
          unimplemented
              .values()
              .removeIf(
                  one ->
                      one.operation().service() == call.operation().service()
                          && (call.operation() != CsiOperation.NODE_GET_CAPABILITIES
                              || WireFields.node(one).equals(WireFields.node(call))));
      default -> {}
    }
  }

  @Override
  void happened(JournalEvent event) {
    // A proxy records only that its plugin stopped, not that the plugin started again. So a stop is
    // handled like a start.
    if (event instanceof JournalEvent.Forgot
        || event instanceof JournalEvent.Started
        || event instanceof JournalEvent.Stopped) {
      refused.clear();
      unimplemented.clear();
    }
  }
}
