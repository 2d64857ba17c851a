package io.csi4j.volume.sim;

import java.util.List;
import java.util.Set;

/**
 * An engine that breaks one rule of the protocol: the engine's sources with a few lines changed.
 * That each rule is needed is shown by finding the harm. Compiled by {@link MutantLoader}.
 */
@SuppressWarnings("ImmutableEnumChecker") // List.of, of records
enum Mutant {
  /** What is about to be taken is not saved before the call that takes it. */
  INTENT_BEFORE_CALL(
      "I3",
      edit(
          "lifecycle/MountStory",
          "return save(turn.with(counted), SAVE_INTENT);",
          "return prepare(turn.with(counted));")),

  /** What is about to be taken is written, and a power cut may take that. */
  INTENT_ON_THE_MEDIUM(
      "I1",
      edit(
          "lifecycle/MountStory",
          "return save(turn.with(counted), SAVE_INTENT);",
          "return write(turn.with(counted), SAVE_INTENT);"),
      edit(
          "engine/VolumeMemory",
          "saved == null ? Durability.BEST_EFFORT : Durability.DEFERRED",
          "Durability.DEFERRED")),

  /** A use is counted after its calls are made, not before. */
  USAGE_BEFORE_CALL(
      "I2",
      edit(
          "lifecycle/MountStory",
          "return save(turn.with(counted), SAVE_INTENT);",
          "return save(turn.with(next), SAVE_INTENT);")),

  /** After OK the mount table is not read. */
  LOOK_AFTER_OK(
      "I3",
      edit(
          "lifecycle/MountStory",
          "? look(idle(at, verb), verb == Verb.STAGE ? LOOK_STAGED : LOOK_PUBLISHED)",
          """
          ? verb == Verb.STAGE
              ? saveStaged(idle(at, verb), Optional.empty(), now)
              : savePublished(idle(at, verb), Optional.empty())
          """),
      edit(
          "lifecycle/ReleaseStory",
          """
              return turn.await(
                  part.isUse() ? LOOK_UNPUBLISHED : LOOK_UNSTAGED, new Step.Look(part.usage(turn)));
          """,
          """
              return gone(turn, part);
          """)),

  /** A refusal is taken for a proof that an earlier attempt has done nothing. */
  DISTRUST_REFUSALS(
      "I3",
      edit(
          "lifecycle/MountStory",
          ": ReleaseStory.undo(turn, failure, now);",
          ": repeat == Repeat.NEVER"
              + " ? ReleaseStory.believe(turn, failure)"
              + " : ReleaseStory.undo(turn, failure, now);"),
      edit(
          "lifecycle/ReleaseStory",
          "  // ---- the first check of the mounts\n",
          """
            static Turn believe(Turn turn, Failure failure) {
              VolumeRecord next = turn.record();
              VolumeUse usage = turn.usage().orElseThrow();
              return saveReleased(
                  turn.failing(failure)
                      .with(
                          next.staging().is(PathStatus.PRESENT)
                              ? next.without(usage)
                              : next.without(usage).withStaging(PathRecord.NONE)));
            }
          """)),

  /** Uses do not come back from the record after a start. */
  USAGE_RESTORED(
      "I2",
      edit(
          "recovery/Recovery",
          """
                targets.add(path);
                now = now.withTarget(target.with(seen));
          """,
          """
                now = now.without(target.usage());
          """)),

  /** A volume is taken for staged while it is being unstaged. */
  UNSTAGE_IN_DOUBT_FIRST(
      "I5",
      edit(
          "lifecycle/ReleaseStory",
          "isBeingStaged(record, now) ? doubtful : doubtful.working(Verb.UNSTAGE, now.instance())",
          "isBeingStaged(record, now) ? doubtful : record.staging()")),

  /** A volume that was given back leaves no tombstone. */
  TOMBSTONES(
      "I1",
      edit(
          "engine/VolumeMemory",
          "parts.state().bury(key, RecordCodec.encode(tombstone))",
          "parts.state().remove(key)")),

  /** The opposite of a call is made while that may be going on in the plugin. */
  QUARANTINE(
      "I2",
      edit(
          "engine/VolumeMemory",
          "if (isPending && !isOver && nanos - doubt.since() < quarantine.toNanos()) {",
          "if (isPending && isOver && nanos < 0) {")),

  /** What was seen in another boot or mount namespace is believed. */
  PLACE_CHECKED(
      "I5",
      edit(
          "recovery/Recovery",
          "boolean isElsewhere = !record.place().equals(place);",
          "boolean isElsewhere = false;")),

  /** What a failed publish has left stays there. */
  ROLLBACK(
      "I2",
      edit(
          "lifecycle/ReleaseStory",
          "takeAway(turn, failing, now)",
          "saveReleased(failing.with(turn.record().without(turn.usage().orElseThrow())))"),
      edit(
          "lifecycle/ReleaseStory",
          """
              return isBeingStaged(record, now)
                  ? unfinished(turn, CallMeaning.quarantined(Verb.STAGE))
                  : unstage(turn.fresh(), now);
          """,
          """
              if (turn.failure().isPresent()) {
                return finished(turn, UnmountOutcome.LAST);
              }
              return isBeingStaged(record, now)
                  ? unfinished(turn, CallMeaning.quarantined(Verb.STAGE))
                  : unstage(turn.fresh(), now);
          """)),

  /** Several operations of a volume run at a time. */
  ONE_AT_A_TIME(
      "I12",
      edit(
          "engine/VolumeQueue",
          """
              if (current != null || unanswered != null) {
                return;
              }
              nameAll();
          """,
          """
              nameAll();
          """)),

  /** A use is not found again by the value of its names. */
  USAGE_BY_VALUE(
      "I3",
      edit(
          "engine/VolumeIndex",
          "return Optional.ofNullable(uses.get(usage));",
          "return Optional.empty();")),

  /** The release of a use that is not on record is taken for that of the last. */
  UNKNOWN_IS_NOT_LAST(
      "I2",
      edit(
          "lifecycle/ReleaseStory",
          ": turn.end(new Result.Released(UnmountOutcome.UNKNOWN));",
          ": turn.await(LOOK_AT_USES, new Step.LookAtUses(false));")),

  /** A failed unpublish is taken for done. */
  UNPUBLISH_FAILURE_COUNTS(
      "I1 I3",
      edit(
          "lifecycle/ReleaseStory",
          "    if (meaning.belief() == Belief.AT_ONCE) {",
          "    if (part.isUse()) {\n      return useGone(at);\n    }\n"
              + "    if (meaning.belief() == Belief.AT_ONCE) {")),

  /** A volume is forgotten though it is not unstaged. */
  KEEP_UNTIL_UNSTAGED(
      "I1",
      edit(
          "lifecycle/ReleaseStory",
          "    boolean mayBeGone =",
          "    if (!part.isUse()) {\n      return stagingGone(at);\n    }\n"
              + "    boolean mayBeGone =")),

  /** A use that only reads has a staging path of its own. */
  ONE_STAGING_PATH(
      "I5",
      edit(
          "lifecycle/Admission",
          "return holders(record, goal).or(() -> differences(record, goal));",
          "return holders(record, goal);"),
      edit(
          "engine/OperationRun",
          "new NodeCall.Stage(goal.request(), goal.plan(), staging())",
          "new NodeCall.Stage(goal.request(), goal.plan(),"
              + " goal.readOnly() ? parts.layout().uses(identity) : staging())"),
      edit(
          "engine/OperationRun",
          "goal.plan().staged() ? Optional.of(staging())",
          "goal.plan().staged()"
              + " ? Optional.of(goal.readOnly() ? parts.layout().uses(identity) : staging())")),

  /** A single-writer volume is given to several workloads at a time. */
  SINGLE_WRITER_ADMISSION(
      "I4",
      edit(
          "lifecycle/Admission",
          "return holders(record, goal).or(() -> differences(record, goal));",
          "return differences(record, goal);")),

  /** Volumes are unpublished before the host has said what it wants. */
  WAIT_FOR_HOST(
      "I11",
      edit(
          "engine/CleanupSchedule",
          "        .filter(goal -> isCommanded || volume.engine.host.isHeard());",
          "        .filter(goal -> true);"),
      edit(
          "engine/CleanupSchedule",
          "return commanded.contains(usage) || volume.engine.host.isHeard();",
          "return true;"),
      edit(
          "engine/VolumeEngine",
          "    if (parts.claims().terms().isPresent()) {",
          "    engine.index.volumes().forEach(VolumeQueue::wake);\n"
              + "    if (parts.claims().terms().isPresent()) {")),

  /** A use whose dead mount is taken away to be made again is forgotten. */
  USE_OUTLIVES_REPAIR(
      "I4",
      edit(
          "lifecycle/ReleaseStory",
          "  private static boolean keepsUse(Turn turn) {\n",
          "  private static boolean keepsUse(Turn turn) {\n    if (turn != null) {\n      return"
              + " false;\n    }\n")),

  /** A volume is staged again while a target is there. */
  ALL_GONE_BEFORE_RESTAGE(
      "I2",
      edit(
          "lifecycle/ReleaseStory",
          "if (record.staging().is(PathStatus.NONE) || !isNowhere(record)) {",
          "if (record.staging().is(PathStatus.NONE)) {")),

  /** A volume is published over what is in the way of its repair. */
  WITHDRAW_BEFORE_PUBLISH(
      "I3",
      edit(
          "lifecycle/MountStory",
          "(isLeaving || (!path.is(PathStatus.GOING) && isHalfGone(path, looked, goal, now)))",
          "(isLeaving)")),

  /** A plugin that is known to be unhealthy gets calls. */
  BARRED_GETS_NOTHING(
      "C8",
      edit(
          "engine/VolumeMemory",
          "        VolumeReport.barred(plugin),",
          "        Optional.empty(),")),

  /** Mounts are taken away without the plugin before it was asked as often as the host said. */
  PLUGIN_FIRST(
      "I11",
      edit(
          "lifecycle/ReleaseStory",
          "if (turn.tries().unknown() < most) {",
          "if (turn.tries().unknown() < 0) {")),

  /** An operation does not wait for the answer to a question for health. */
  HEALTH_TAKES_ITS_TURN(
      "I8",
      edit(
          "engine/VolumeQueue",
          """
              if (current != null || unanswered != null) {
                return;
              }
              nameAll();
          """,
          """
              if (!isFree() || unanswered != null) {
                return;
              }
              nameAll();
          """)),

  /** What cannot be refreshed is taken away, as what cannot be mounted is. */
  REFRESH_LEAVES_THE_MOUNT(
      "I11",
      edit(
          "lifecycle/RefreshStory",
          ": leave(at, failure(at, answer));",
          ": ReleaseStory.undo(at, failure(at, answer), now);")),

  /** What is refreshed is unpublished first. */
  REFRESH_OVER_THE_MOUNT(
      "I11",
      edit(
          "lifecycle/RefreshStory",
          ": intend(seeing(turn, looked.target().size()), now);",
          ": looked.target().isEmpty()\n            ? intend(turn, now)\n"
              + "            : ReleaseStory.clear(turn, Turn.Clearing.TARGET, now);")),

  /** After a crash, a refresh that the plugin may be working on is taken for over. */
  REFRESH_ON_RECORD(
      "I1 I2 I19",
      edit(
          "recovery/Recovery",
          "return new PathRecord(PathStatus.PRESENT, path.pending(), top);",
          "return PathRecord.present(top);")),

  /** An inline volume is staged, as the plugin stages its other volumes. */
  INLINE_IS_NOT_STAGED(
      "I16",
      edit(
          "lifecycle/Goal",
          ".orElse(up.stages() && !request.isInline());",
          ".orElse(up.stages());")),

  /** A volume that was not staged is unstaged after its last use. */
  INLINE_IS_NOT_UNSTAGED(
      "I16",
      edit(
          "lifecycle/ReleaseStory",
          "neverStaged || record.staging().is(PathStatus.NONE)",
          "neverStaged")),

  /** Each attempt to publish an inline volume makes a volume of another id. */
  INLINE_HAS_ONE_ID(
      "I17",
      edit(
          "engine/OperationRun",
          """
            yield new NodeCall.Publish(
                goal.request(),
          """,
          """
            yield new NodeCall.Publish(
                io.csi4j.volume.node.MountRequest.builder(
                        goal.request().plugin(),
                        goal.usage(),
                        io.csi4j.client.model.VolumeId.of(
                            goal.request().handle() + "-" + operation.id().value()),
                        goal.request().capability().accessMode())
                    .volumeContext(goal.request().volumeContext())
                    .build(),
          """)),

  /** The record of a use that needs no staging does not say that it is being published. */
  INTENT_NAMES_THE_CALL(
      "I18",
      edit(
          "lifecycle/MountStory",
          "stages && !wasInDoubt ? path : path.working(Verb.PUBLISH, now.instance()),",
          "!wasInDoubt ? path : path.working(Verb.PUBLISH, now.instance()),")),

  /** A plugin that may still be publishing with one context is given another. */
  REFRESH_WAITS_FOR_ITS_END(
      "I19",
      edit(
          "lifecycle/RefreshStory",
          "turn.tries().calls() == 0 && now.targetQuarantined(wanted.usage())",
          "turn.tries().calls() < 0 && now.targetQuarantined(wanted.usage())")),

  /** A refresh is told to be done without a call. */
  REFRESH_IS_SENT(
      "I19",
      edit(
          "lifecycle/RefreshStory",
          ".orElseGet(() -> turn.call(REFRESH, Verb.PUBLISH, turn.usage()));",
          ".orElseGet(() -> answered(turn, Answer.ok(), now));")),

  /** A use whose mount was never seen counts until the plugin says that it is released. */
  UNSEEN_IS_GIVEN_UP(
      "I1",
      edit(
          "lifecycle/ReleaseStory",
          "(wasSeen || (isVisible && now.isAnswered(usage)))",
          "(wasSeen || (isVisible && !now.isAnswered(usage)))")),

  /** What another program has mounted is not asked for. */
  OTHERS_ARE_SPARED(
      "I15",
      edit("lifecycle/ReleaseStory", "return seen.elsewhere().isEmpty()", "return turn != null")),

  /** What is wanted under a claim is staged and published without a question. */
  EPOCH_CONFIRMED(
      "I13", edit("lifecycle/MountStory", "return turn.epoch() > 0;", "return turn.epoch() < 0;")),

  /** A wanted use is tried again although its volume is gone. */
  GONE_UNTIL_ASKED(
      "I14 I20",
      edit(
          "engine/WantedMounts",
          """
                      told.outcome() == VolumeException.Outcome.HELD
                          || told.code() == OperatorCode.VOLUME_GONE
          """,
          """
                      (told.outcome() == VolumeException.Outcome.HELD
                              && told.code() != OperatorCode.VOLUME_GONE)
          """));

  private final Set<String> harms;
  private final List<Edit> edits;

  /**
   * A broken engine.
   *
   * @param harms the invariants of which it breaks one, whichever a history comes to first
   */
  Mutant(String harms, Edit... edits) {
    this.harms = Set.of(harms.split(" ", -1));
    this.edits = List.of(edits);
  }

  /**
   * A change of a source file.
   *
   * @param file the file, beneath the engine's package
   * @param from a text that is in it once
   * @param to what stands there instead
   */
  record Edit(String file, String from, String to) {}

  private static Edit edit(String file, String from, String to) {
    return new Edit(file, from, to);
  }

  /** The invariants of which it breaks one. */
  Set<String> harms() {
    return harms;
  }

  /** What is changed. */
  List<Edit> edits() {
    return edits;
  }
}
