package io.csi4j.volume.internal.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.lifecycle.Step.Save.Need;
import io.csi4j.volume.internal.lifecycle.Turn.Awaited;
import io.csi4j.volume.internal.lifecycle.Turn.Situation;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.ClaimMark;
import io.csi4j.volume.internal.record.Digests;
import io.csi4j.volume.internal.record.Evidence;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.state.StateException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Walks an operation from its first step to its last in a world of its own, where everything goes
 * well unless a step was told to end otherwise, and writes down the steps.
 */
final class Walk implements Step.Performer {

  static final VolumeIdentity IDENTITY =
      new VolumeIdentity(PluginId.of("plugin"), VolumeId.of("vol-1"));
  static final Place PLACE = new Place("boot-1", 1);
  static final VolumeUse A = VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("a"));
  static final VolumeUse B = VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("b"));

  /** The names of the contexts of the volume; a ? before one marks it as uncertain. */
  private static final List<String> CONTEXTS = List.of("given", "new", "old", "older", "other");

  private static final Evidence DISK = new Evidence("ref", "ext4", "/dev/sda", "/", false);

  private final Map<String, Event> endings = new HashMap<>();
  private final Map<String, Throwable> breaking = new HashMap<>();
  private final Map<String, Integer> counts = new HashMap<>();
  private final Set<Optional<VolumeUse>> goingOn = new HashSet<>();
  private final Map<Optional<VolumeUse>, List<Evidence>> mounts = new HashMap<>();
  private final List<String> trace = new ArrayList<>();
  private MountPolicy policy = MountPolicy.defaults();
  private boolean quarantineOver;
  private boolean broken;
  private final Set<Optional<VolumeUse>> dead = new HashSet<>();
  private boolean lazily;
  private Optional<Failure> barred = Optional.empty();
  private Set<VolumeUse> refused = Set.of();
  private Set<VolumeUse> unanswered = Set.of();
  private int strayAt;
  private int elsewhereUntil;
  private Optional<Event> told = Optional.empty();
  private final Map<String, Need> durable = new LinkedHashMap<>();
  private final List<Duration> pauses = new ArrayList<>();
  private VolumeRecord record;

  private Walk(VolumeRecord record) {
    this.record = record;
  }

  /** From a volume that nobody uses. */
  static Walk fromNothing() {
    return new Walk(VolumeRecord.fresh(IDENTITY, plan(true, false), PLACE));
  }

  /** From a volume that is staged, and mounted for these. */
  static Walk fromUsedBy(VolumeUse... users) {
    Walk walk = fromNothing();
    walk.mount(Optional.empty());
    VolumeRecord record = walk.record.withStaging(PathRecord.present(Optional.of(DISK)));
    for (VolumeUse user : users) {
      walk.mount(Optional.of(user));
      record =
          record.withTarget(new TargetRecord(user, false, PathRecord.present(Optional.of(DISK))));
    }
    walk.record = record;
    return walk;
  }

  /** From this record instead. */
  Walk from(VolumeRecord start) {
    record = start;
    return this;
  }

  VolumeRecord record() {
    return record;
  }

  static Plan plan(boolean staged, boolean block) {
    return new Plan(staged, block, AccessMode.MULTI_NODE_MULTI_WRITER, "", "", "");
  }

  static Goal.Publish publish(VolumeUse usage) {
    return publish(usage, plan(true, false), false);
  }

  /** A mount by this plan, which may be another than a request alone would lead to. */
  static Goal.Publish publish(VolumeUse usage, Plan plan, boolean readOnly) {
    return new Goal.Publish(request(usage, plan, readOnly).build(), plan, false);
  }

  /** The same with a context of the volume, by its name in {@link #CONTEXTS}. */
  static Goal.Publish publish(VolumeUse usage, Plan plan, boolean readOnly, String context) {
    return new Goal.Publish(
        request(usage, plan, readOnly).volumeContext(context(context)).build(), plan, false);
  }

  /** The same mount under a claim. */
  static Goal.Publish under(long epoch, Goal.Publish goal) {
    ClaimGrant grant =
        new ClaimGrant(
            goal.usage(), NodeName.of("n"), epoch, ClaimMode.WRITE, PublishContext.empty());
    return new Goal.Publish(
        goal.request().toBuilder().claim(grant).build(), goal.plan(), goal.keeps());
  }

  private static MountRequest.Builder request(VolumeUse usage, Plan plan, boolean readOnly) {
    return MountRequest.builder(IDENTITY.plugin(), usage, IDENTITY.handle(), plan.mode())
        .block(plan.block())
        .readOnly(readOnly);
  }

  private static VolumeContext context(String name) {
    return VolumeContext.of(Map.of("name", name));
  }

  /** The digest of a context of the volume, by its name in {@link #CONTEXTS}. */
  static String digest(String name) {
    String plain = name.startsWith("?") ? name.substring(1) : name;
    assertThat(CONTEXTS).contains(plain);
    String digest = Digests.of(IDENTITY, context(plain));
    return plain.equals(name) ? digest : Digests.inDoubt(digest);
  }

  Walk mount(Optional<VolumeUse> path) {
    mounts.computeIfAbsent(path, key -> new ArrayList<>()).add(DISK);
    return this;
  }

  Walk unmount(Optional<VolumeUse> path) {
    mounts.remove(path);
    return this;
  }

  /** What is mounted can only be unmounted. */
  Walk broken() {
    broken = true;
    return this;
  }

  /** The server of what is mounted there has ended. */
  Walk dead(Optional<VolumeUse> path) {
    dead.add(path);
    return this;
  }

  /** A use of B that nobody expected is mounted at the n-th look at all uses. */
  Walk strayAt(int n) {
    strayAt = n;
    return this;
  }

  /** Another program has mounted the device until the n-th look at all uses. */
  Walk elsewhereUntil(int n) {
    elsewhereUntil = n;
    return this;
  }

  /** What is unmounted without the plugin is in use. */
  Walk unmountedLazily() {
    lazily = true;
    return this;
  }

  /** The plugin gets no calls. */
  Walk barred() {
    barred = Optional.of(Failure.of(OperatorCode.PLUGIN_UNHEALTHY, "it is unhealthy"));
    return this;
  }

  /** The plugin has refused to release a use often and long enough. */
  Walk refusedForLong(VolumeUse usage) {
    refused = Set.of(usage);
    return this;
  }

  /** A publication of a use may not have ended. */
  Walk unanswered(VolumeUse usage) {
    unanswered = Set.of(usage);
    return this;
  }

  /** Something else is mounted there. */
  Walk foreign(Optional<VolumeUse> path) {
    mounts.put(path, List.of(new Evidence("other", "tmpfs", "none", "/", false)));
    return this;
  }

  /** What is mounted there cannot be written any more. */
  Walk readOnly(Optional<VolumeUse> path) {
    mounts.put(path, List.of(new Evidence("ref", "ext4", "/dev/sda", "/", true)));
    return this;
  }

  /** Something else is mounted on what is mounted there. */
  Walk covered(Optional<VolumeUse> path) {
    mount(path);
    mounts.get(path).add(new Evidence("other", "tmpfs", "none", "/", false));
    return this;
  }

  /** This many mounts are on top of each other. */
  Walk layers(Optional<VolumeUse> path, int count) {
    mounts.remove(path);
    for (int i = 0; i < count; i++) {
      mount(path);
    }
    return this;
  }

  /** Every step of this name ends like this. */
  Walk always(String step, Event ending) {
    endings.put(step, ending);
    return this;
  }

  /** The n-th step of this name ends like this. */
  Walk at(String step, int n, Event ending) {
    endings.put(step + "#" + n, ending);
    return this;
  }

  Walk policy(MountPolicy next) {
    policy = next;
    return this;
  }

  /** The end of the call that is on record for a path is not known. */
  Walk goingOn(Optional<VolumeUse> path) {
    goingOn.add(path);
    return this;
  }

  /** No call is taken to be going on any more. */
  Walk quarantineIsOver() {
    quarantineOver = true;
    return this;
  }

  static Event fails(StatusCode code) {
    return new Event.Answered(Answer.failed(failure(code, 1, "so it is")));
  }

  /** A failure in the client's form: given by the plugin if it was sent. */
  static CsiFailure failure(StatusCode code, int attempts, String why) {
    return CsiFailure.builder(CsiEndpoint.of(Path.of("/run/csi.sock")), code, Outcome.SETTLED)
        .answered(attempts > 0)
        .attempts(attempts)
        .why(why)
        .build();
  }

  /** The plugin says that it is done, and has done nothing. */
  static Event nothingDone() {
    return new Event.Answered(Answer.ok());
  }

  static Event neverSent() {
    return new Event.Answered(Answer.failed(failure(StatusCode.UNAVAILABLE, 0, "nobody is there")));
  }

  static Event unsaved() {
    return new Event.Saved(
        Optional.of(new StateException(StateException.Reason.STATE_DISK_FULL, "the disk is full")));
  }

  static Event takenOver() {
    return new Event.Saved(
        Optional.of(
            new StateException(
                StateException.Reason.STATE_TAKEN_OVER, "process 7 has the state now")));
  }

  static Event problem(PathProblem.Kind kind) {
    return new Event.Arranged(
        Optional.of(new PathProblem(kind, MountPath.of("/top/v"), "it cannot be")));
  }

  /** What is asked of claims is answered like this. */
  static Event standing(ClaimStanding standing) {
    return new Event.Confirmed(standing, false);
  }

  /** Nobody can be asked, and what was confirmed before is good enough. */
  static Event recordSuffices() {
    return new Event.Confirmed(new ClaimStanding.Unknown(new ReasonText("so it is")), true);
  }

  /**
   * One step of a walk.
   *
   * @param from the moment before it
   * @param to the moment after it
   */
  record Way(String from, String to) {}

  /** Walks, and gives the moments. */
  List<Way> moments(Goal goal) {
    List<Way> ways = new ArrayList<>();
    Turn turn = goal.begin(record);
    while (turn.result().isEmpty()) {
      record = turn.record();
      Turn next = next(turn, turn.awaited());
      ways.add(new Way(turn.awaited().moment().name(), next.awaited().moment().name()));
      turn = next;
    }
    return ways;
  }

  /** Walks, and gives the steps. */
  List<String> to(Goal goal) {
    Turn turn = goal.begin(record);
    for (int i = 0; i < 100; i++) {
      turn.notices().forEach(notice -> trace.add("note " + notice.code()));
      record = turn.record();
      if (!(turn.step() instanceof Step.LookAtUses)) {
        trace.add(word(turn));
      }
      if (turn.step() instanceof Step.End) {
        return trace;
      }
      turn = next(turn, turn.awaited());
    }
    throw new AssertionError("It never ends: " + trace);
  }

  /** Walks, and gives the words of its notices and of its end, those of undoing included. */
  List<String> words(Goal goal) {
    List<String> words = new ArrayList<>();
    Turn turn = goal.begin(record);
    while (turn.result().isEmpty()) {
      record = turn.record();
      turn = next(turn, turn.awaited());
      turn.notices().forEach(notice -> words.add(word(notice.usage()) + notice.seen()));
    }
    if (turn.result().get() instanceof Failure failure) {
      words.add(failure.seen());
      failure.undoing().ifPresent(undoing -> words.add("undoing: " + undoing.seen()));
    }
    return words;
  }

  private static String word(Optional<VolumeUse> usage) {
    return usage.map(use -> use.workload() + ": ").orElse("");
  }

  /** Walks, and gives the steps at which the operation can be left for its release. */
  List<String> leavable(Goal goal) {
    List<String> leavable = new ArrayList<>();
    Turn turn = goal.begin(record);
    while (turn.result().isEmpty()) {
      record = turn.record();
      turn.superseded()
          .flatMap(Turn::result)
          .ifPresent(
              end ->
                  assertThat(word(end))
                      .as("the end of what is left")
                      .isEqualTo("unfinished SUPERSEDED"));
      if (turn.superseded().isPresent()) {
        leavable.add(name(turn));
      }
      turn = next(turn, turn.awaited());
    }
    return leavable;
  }

  /** Walks, and gives the phrases in which it is told how far it is. */
  List<String> doing(Goal goal) {
    List<String> doing = new ArrayList<>();
    Turn turn = goal.begin(record);
    while (turn.result().isEmpty()) {
      record = turn.record();
      doing.add(turn.doing());
      turn = next(turn, turn.awaited());
    }
    return doing;
  }

  /** The records that were saved, and how safe they had to be. */
  Map<String, Need> durable() {
    return durable;
  }

  List<Duration> pauses() {
    return pauses;
  }

  private Situation situation() {
    return new Situation(
        PLACE,
        "plugin-1",
        policy,
        quarantineOver ? Set.of() : Set.copyOf(goingOn),
        refused,
        unanswered,
        barred,
        0.5);
  }

  /** Every step of this name throws this. */
  Walk breaks(String step, Throwable cause) {
    breaking.put(step, cause);
    return this;
  }

  private <E extends Event> Turn next(Turn turn, Awaited<E> awaited) {
    String name = name(turn);
    if (breaking.containsKey(name)) {
      return BrokenStep.after(turn, breaking.get(name), situation());
    }
    int n = counts.merge(name, 1, Integer::sum);
    told = Optional.ofNullable(endings.getOrDefault(name + "#" + n, endings.get(name)));
    Step<E> step = awaited.step();
    if (step instanceof Step.AtOnce<E> atOnce) {
      return awaited.answered(turn, atOnce.by(this), situation());
    }
    List<E> answers = new ArrayList<>();
    if (step instanceof Step.Later<E> later) {
      later.by(this, answers::add);
    }
    assertThat(answers).as("the answer to %s", name).hasSize(1);
    return awaited.answered(turn, answers.get(0), situation());
  }

  // ---- the world does what a step asks for

  @SuppressWarnings("unchecked") // a test gives the answers by the names of the steps
  private <E extends Event> E answer(E usual) {
    return (E) told.orElse(usual);
  }

  private Event.Saved saved() {
    return answer(new Event.Saved(Optional.empty()));
  }

  private Event.Arranged arranged() {
    return answer(new Event.Arranged(Optional.empty()));
  }

  @Override
  public Event.Saved save(Step.Save step) {
    durable.put(word(step.record()), step.need());
    return saved();
  }

  @Override
  public Event.Saved forget() {
    return saved();
  }

  @Override
  public Event.Saved bury() {
    return saved();
  }

  @Override
  public Event.Arranged prepareVolume() {
    return arranged();
  }

  @Override
  public Event.Arranged prepareUse(VolumeUse usage) {
    return arranged();
  }

  @Override
  public Event.Arranged removeUse(VolumeUse usage) {
    return arranged();
  }

  @Override
  public Event.Arranged removeVolume() {
    return arranged();
  }

  @Override
  public Event.Looked look(Step.Look step) {
    return answer(
        new Event.Looked(
            stack(Optional.empty()),
            step.usage().isPresent() ? stack(step.usage()) : List.of(),
            false,
            true));
  }

  @Override
  public Event.UsesSeen lookAtUses(Step.LookAtUses step) {
    int look = counts.getOrDefault("look at uses", 0);
    boolean comes = look == strayAt;
    boolean isElsewhere = step.elsewhere() && look < elsewhereUntil;
    return answer(
        new Event.UsesSeen(
            comes
                ? record.withTarget(
                    new TargetRecord(B, false, PathRecord.NONE.as(PathStatus.GOING)))
                : record,
            isElsewhere
                ? List.of(new Sighting(MountPath.of("/mnt/backup"), "8:0", DISK))
                : List.of()));
  }

  @Override
  public Event.Forced force(Step.Force step) {
    if (told.isEmpty()) {
      mounts.remove(step.usage());
    }
    return answer(new Event.Forced(lazily));
  }

  @Override
  public void confirm(Step.Confirm step, Consumer<Event.Confirmed> then) {
    then.accept(answer(new Event.Confirmed(new ClaimStanding.Current(), false)));
  }

  @Override
  public void lookUp(Step.LookUp step, Consumer<Event.LookedUp> then) {
    then.accept(answer(new Event.LookedUp(new VolumeVerdict.Present())));
  }

  @Override
  public void pause(Step.Pause step, Consumer<Event.Woke> then) {
    pauses.add(step.time());
    then.accept(answer(new Event.Woke()));
  }

  @Override
  public void call(Step.Call call, Consumer<Event.Called> then) {
    if (told.isEmpty()) {
      goingOn.remove(call.usage());
      switch (call.verb()) {
        case STAGE, PUBLISH -> {
          if (mounts.getOrDefault(call.usage(), List.of()).isEmpty()) {
            mount(call.usage());
          }
        }
        case UNSTAGE, UNPUBLISH -> peel(call.usage());
      }
    } else if (told.get() instanceof Event.Answered answered
        && !answered.answer().isOk()
        && answered.answer().isSent()) {
      if (CallMeaning.of(answered.answer()).goesOn()) {
        goingOn.add(call.usage());
      } else {
        goingOn.remove(call.usage());
      }
    }
    then.accept(answer(new Event.Answered(Answer.ok())));
  }

  private void peel(Optional<VolumeUse> path) {
    List<Evidence> stack = mounts.getOrDefault(path, new ArrayList<>());
    if (!stack.isEmpty()) {
      stack.remove(stack.size() - 1);
      dead.remove(path);
    }
  }

  private List<Sighting> stack(Optional<VolumeUse> path) {
    Sighting.Health health =
        dead.contains(path)
            ? Sighting.Health.DEAD
            : broken ? Sighting.Health.DELETED : Sighting.Health.WELL;
    return mounts.getOrDefault(path, List.of()).stream()
        .map(evidence -> new Sighting(MountPath.of("/top/v/x"), "8:1", evidence, health))
        .toList();
  }

  /** What a look at the staging path and this target shows now. */
  Event lookedAt(Optional<VolumeUse> target) {
    return new Event.Looked(stack(Optional.empty()), stack(target), false, true);
  }

  /** What a look at the staging path shows now. */
  Event looked() {
    return new Event.Looked(stack(Optional.empty()), List.of(), false, false);
  }

  private static String name(Turn turn) {
    Step<?> step = turn.step();
    if (step instanceof Step.Save) {
      return "save " + turn.reached().orElseThrow();
    } else if (step instanceof Step.Call call) {
      return call.verb().toString();
    } else if (step instanceof Step.PrepareVolume) {
      return "make volume";
    } else if (step instanceof Step.PrepareUse) {
      return "make use";
    } else if (step instanceof Step.RemoveUse) {
      return "remove use";
    } else if (step instanceof Step.RemoveVolume) {
      return "remove volume";
    } else if (step instanceof Step.Forget) {
      return "forget";
    } else if (step instanceof Step.Bury) {
      return "bury";
    } else if (step instanceof Step.Force) {
      return "force";
    } else if (step instanceof Step.Pause) {
      return "pause";
    } else if (step instanceof Step.Confirm confirm) {
      return "confirm " + confirm.epoch();
    } else if (step instanceof Step.LookUp lookUp) {
      return "look up " + lookUp.epoch();
    }
    if (step instanceof Step.LookAtUses) {
      return "look at uses";
    }
    return step instanceof Step.Look ? "look" : "end";
  }

  private static String word(Turn turn) {
    Step<?> step = turn.step();
    if (step instanceof Step.Save save) {
      return name(turn) + " " + word(save.record());
    } else if (step instanceof Step.End end) {
      return word(end.result());
    }
    return name(turn);
  }

  private static String word(Result result) {
    if (result instanceof Result.Released released) {
      return "released " + released.release();
    } else if (result instanceof Failure failure) {
      String outcome =
          switch (failure.outcome()) {
            case REFUSED -> "refused ";
            case IN_PROGRESS -> "unfinished ";
            case HELD -> "held ";
          };
      return outcome + failure.code() + undoing(failure.undoing());
    }
    return result instanceof Result.Withdrawn ? "withdrawn" : "published";
  }

  private static String undoing(Optional<Failure> failure) {
    return failure.map(why -> ", undoing " + why.code()).orElse("");
  }

  /**
   * Staging, then each use: {@code [PRESENT, a IN_DOUBT PUBLISH?]}, with its context if one is
   * known.
   */
  static String word(VolumeRecord record) {
    List<String> words = new ArrayList<>();
    words.add(word(record.staging()));
    record
        .targets()
        .values()
        .forEach(
            target ->
                words.add(
                    target.usage().workload()
                        + " "
                        + word(target.path())
                        + word(target.claim())
                        + context(record, target)));
    return words.toString();
  }

  private static String context(VolumeRecord record, TargetRecord target) {
    String digest = record.contexts().getOrDefault(target.usage(), Digests.OF_NOTHING);
    return digest.equals(Digests.OF_NOTHING) ? "" : " with " + contextName(digest);
  }

  private static String contextName(String digest) {
    return CONTEXTS.stream()
        .flatMap(name -> Stream.of(name, "?" + name))
        .filter(name -> digest(name).equals(digest))
        .findFirst()
        .orElse(digest);
  }

  private static String word(PathRecord path) {
    return path.status()
        + path.pending().map(pending -> " " + word(pending.verb()) + "?").orElse("");
  }

  /** {@code @7?} for a claim that was not confirmed. */
  private static String word(ClaimMark claim) {
    return claim.isClaimed() ? "@" + claim.epoch() + (claim.confirmed() ? "" : "?") : "";
  }

  private static String word(Verb verb) {
    return verb.toString();
  }
}
