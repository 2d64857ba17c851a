package io.csi4j.volume.sim;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.port.NodeCall;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.MountPolicy.OnDeadMount;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * A plugin that stages with a mount, publishes with another, and can fail at everything. It keeps
 * what it does for a volume apart from the mounts, as a plugin with a session to a server does.
 */
final class SimPlugin {

  static final MountPolicy POLICY =
      MountPolicy.builder().requireStagingMount(true).healthInterval(Duration.ZERO).build();

  /** What ends with the process of the plugin. */
  enum Serving {
    /** Nothing: the kernel serves its mounts. */
    NOTHING,
    /** One of its targets. */
    ONE_TARGET,
    /** Its targets. */
    TARGETS,
    /** What it has staged, and with it the targets. */
    ALL
  }

  /** The key by which a plugin tells inline volumes from others. */
  private static final String EPHEMERAL = "csi.storage.k8s.io/ephemeral";

  private static final CsiEndpoint SOCKET = CsiEndpoint.of(Path.of("/run/csi.sock"));
  private static final Duration MOMENT = Duration.ofMillis(1);
  private static final StatusCode[] UNCERTAIN = {
    StatusCode.INTERNAL, StatusCode.UNKNOWN, StatusCode.RESOURCE_EXHAUSTED, StatusCode.DATA_LOSS
  };
  private static final StatusCode[] REFUSALS_FORWARD = {
    StatusCode.INVALID_ARGUMENT,
    StatusCode.FAILED_PRECONDITION,
    StatusCode.NOT_FOUND,
    StatusCode.ALREADY_EXISTS,
    StatusCode.PERMISSION_DENIED,
    StatusCode.OUT_OF_RANGE,
    StatusCode.UNIMPLEMENTED,
    StatusCode.UNAUTHENTICATED
  };
  private static final Duration HEALTH_INTERVAL = Duration.ofSeconds(20);
  private static final Duration SLOW = Duration.ofSeconds(7);

  private static final StatusCode[] REFUSALS_BACK = {
    StatusCode.PERMISSION_DENIED,
    StatusCode.FAILED_PRECONDITION,
    StatusCode.INVALID_ARGUMENT,
    StatusCode.OUT_OF_RANGE,
    StatusCode.UNAUTHENTICATED
  };

  /**
   * One of the four calls, with what matters of it.
   *
   * @param inline whether its context says that the volume is an inline one
   * @param context what else the context of a publish says
   */
  record Call(
      Verb verb,
      String volume,
      MountPath path,
      boolean readOnly,
      MountPath staging,
      boolean inline,
      String context) {

    private static Call plain(
        Verb verb, NodeCall.OfVolume about, MountPath path, MountPath staging) {
      return new Call(verb, about.volume().value(), path, false, staging, false, "");
    }

    /** The same, and read-only if this is not, or the other way round. */
    Call turned() {
      return new Call(verb, volume, path, !readOnly, staging, inline, context);
    }

    static Optional<Call> of(NodeCall call) {
      if (!(call instanceof NodeCall.OfVolume about)) {
        return Optional.empty();
      }
      if (call instanceof NodeCall.Stage stage) {
        return Optional.of(plain(Verb.STAGE, about, stage.staging(), stage.staging()));
      } else if (call instanceof NodeCall.Publish publish) {
        return Optional.of(
            new Call(
                Verb.PUBLISH,
                publish.volume().value(),
                publish.target(),
                publish.request().readOnly(),
                publish.staging().orElse(null),
                "true".equals(publish.request().volumeContext().reveal().get(EPHEMERAL)),
                publish.request().volumeContext().reveal().get("url")));
      } else if (call instanceof NodeCall.Unpublish unpublish) {
        return Optional.of(plain(Verb.UNPUBLISH, about, unpublish.target(), null));
      } else if (call instanceof NodeCall.Unstage unstage) {
        return Optional.of(plain(Verb.UNSTAGE, about, unstage.staging(), unstage.staging()));
      }
      return Optional.empty();
    }

    boolean isSameAs(Call other) {
      return verb == other.verb && path.equals(other.path);
    }

    @Override
    public String toString() {
      return verb + " " + path + (readOnly ? " (ro)" : "");
    }
  }

  /** A call that it is still working on although nobody waits for it. */
  final class Late {
    final Call call;
    private final long begun = world.time().nanos();

    /** Whether the one who called could not write down that he would, and in which life. */
    private final boolean isUnwritten = !world.disk().medium().isWell();

    private final Life caller = world.host().life();

    /** Whether the same call was answered since, which looks as if this one had ended. */
    private boolean overtaken;

    private boolean over;

    private final Scheduler.Timer timer;

    private Late(Call call, Duration due) {
      this.call = call;
      late.add(this);
      timer = world.time().later(due, this::finish);
    }

    long begun() {
      return begun;
    }

    boolean isRogue() {
      return overtaken
          || (isUnwritten && caller.isDead())
          || world.time().nanos() - begun >= POLICY.quarantine().toNanos();
    }

    private void end() {
      over = true;
      timer.cancel();
    }

    private void finish() {
      if (!over) {
        end();
        late.remove(this);
        world.findings().note("LATE", call);
        boolean takes =
            call.verb() == Verb.UNPUBLISH
                && world.kernel().isMounted(call.path())
                && !world.kernel().isDead(call.path());
        apply(call, isRogue());
        if (takes) {
          world.tookFromWorkload(call, isRogue());
        }
      }
    }
  }

  private final World world;
  private final PluginId id;
  private final boolean faulty;
  private final List<Late> late = new ArrayList<>();
  private final Set<MountPath> staged = new TreeSet<>();
  private final Set<MountPath> published = new TreeSet<>();
  private final Set<Path> made = new TreeSet<>();

  /** What it has said to be gone, and was not, or came when nobody could expect it any more. */
  private final Set<MountPath> unknown = new TreeSet<>();

  private final Set<MountPath> forgotten = new TreeSet<>();

  /** The contexts with which it has published, or has said that it had; where it is refreshed. */
  private final Map<MountPath, String> inForce = new TreeMap<>();

  private final Map<MountPath, Integer> refusals = new TreeMap<>();

  /** The volumes of which a call is not answered yet, and who waits for it; where it is watched. */
  private final Map<String, Life> calling = new TreeMap<>();

  private MountPolicy policy = POLICY;
  private Serving serving = Serving.NOTHING;
  private int process = 1;
  private boolean hung;
  private boolean down;
  private boolean unhealthy;

  SimPlugin(World world, PluginId id, boolean faulty) {
    this.world = world;
    this.id = id;
    this.faulty = faulty;
    if (faulty && (world.setup().roams() || world.setup().mends())) {
      choosePolicy();
    }
    if (world.setup().watched()) {
      policy = policy.toBuilder().healthInterval(HEALTH_INTERVAL).build();
    }
  }

  private void choosePolicy() {
    Choices choices = world.choices();
    OnDeadMount[] policies =
        world.setup().mends()
            ? new OnDeadMount[] {OnDeadMount.REMOUNT, OnDeadMount.REPUBLISH}
            : new OnDeadMount[] {
              OnDeadMount.REPORT, OnDeadMount.REMOUNT, OnDeadMount.REPUBLISH, OnDeadMount.LEAVE
            };
    policy =
        POLICY.toBuilder()
            .onDeadMount(policies[choices.choose("policy for dead mounts", policies.length)])
            .forceAfterRefusals(choices.choose("may be forced", 2) == 0 ? 0 : 2)
            .build();
    if (world.setup().roams() && world.setup().serialising()) {
      policy = policy.toBuilder().retryBudget(2).retryRefill(Duration.ofSeconds(10)).build();
    }
    if (policy.onDeadMount() == OnDeadMount.REPUBLISH) {
      serving =
          new Serving[] {Serving.TARGETS, Serving.ONE_TARGET}[choices.choose("what it serves", 2)];
    } else {
      serving =
          new Serving[] {Serving.ALL, Serving.TARGETS, Serving.ONE_TARGET}
              [choices.choose("what it serves", 3)];
    }
  }

  MountPolicy policy() {
    return policy;
  }

  /** Whether what dies of it is made anew. */
  boolean mends() {
    return policy.onDeadMount() == OnDeadMount.REPUBLISH
        || policy.onDeadMount() == OnDeadMount.REMOUNT;
  }

  PluginId id() {
    return id;
  }

  /** Writes down what is done with it. */
  void tell(String what, Call call) {
    world.findings().note(what, world.time().elapsed(), id, call);
  }

  // ---- what happens to it

  /** All that it is still working on is done. */
  void finishLate() {
    List.copyOf(late).forEach(Late::finish);
  }

  /** Whether it works on something that nobody waits for. */
  boolean isWorking() {
    return !late.isEmpty();
  }

  /** What it may still be working on, as far as a manager has to expect it. */
  List<Call> working() {
    return late.stream().filter(it -> !it.isRogue()).map(it -> it.call).toList();
  }

  /** Another process takes its place; what the old one was working on is not done any more. */
  void restart() {
    process++;
    late.forEach(Late::end);
    late.clear();
    Set<MountPath> targets = new TreeSet<>();
    for (MountPath path : published) {
      if (targets.isEmpty() || serving != Serving.ONE_TARGET) {
        targets.add(path);
      }
    }
    world
        .kernel()
        .kill(
            mount ->
                !mount.foreign
                    && serving != Serving.NOTHING
                    && (targets.contains(mount.path)
                        || (serving == Serving.ALL && staged.contains(mount.path))));
  }

  /** Loses its memory of what it has mounted. */
  void forget() {
    forgotten.addAll(sessions());
    staged.clear();
    published.clear();
  }

  /** A person has given it its memory back. */
  void recall() {
    forgotten.clear();
  }

  /** Gets no calls from now on, or again. */
  void unhealthy(boolean value) {
    unhealthy = value;
  }

  boolean isUnhealthy() {
    return unhealthy;
  }

  /** How often it has said that it does not know what is at a path, or OK and left it there. */
  int refusals(MountPath path) {
    return refusals.getOrDefault(path, 0);
  }

  /** The host starts again. What it did for volumes elsewhere is still there. */
  void reboot() {
    restart();
    hung = false;
    published.clear();
  }

  /** Answers nothing from now on, or again. */
  void hang(boolean value) {
    hung = value;
  }

  /** Cannot be reached from now on, or again. */
  void down(boolean value) {
    down = value;
  }

  /** What it still does for volumes. */
  List<MountPath> sessions() {
    List<MountPath> all = new ArrayList<>(staged);
    all.addAll(published);
    return all;
  }

  /** Whether it does something at a path that a manager has to expect. */
  boolean hasSession(MountPath path) {
    return (published.contains(path) || staged.contains(path)) && !unknown.contains(path);
  }

  /** Whether it may still be working on a call with this path that a manager has to expect. */
  boolean isWorkingOn(Verb verb, MountPath path) {
    return working().stream().anyMatch(it -> it.verb() == verb && it.path().equals(path));
  }

  /** The context in force at a path; nothing where nothing is published. */
  Optional<String> inForce(MountPath path) {
    return Optional.ofNullable(inForce.get(path));
  }

  private void putInForce(Call call) {
    if (world.setup().refreshes() && call.verb() == Verb.PUBLISH) {
      inForce.put(call.path(), call.context());
    }
  }

  // ---- as the manager sees it

  NodePlugin seenBy(Life life) {
    return new NodePlugin() {
      @Override
      public MountPolicy policy() {
        return policy;
      }

      @Override
      public Optional<PluginAnswer.Down> barred() {
        return unhealthy
            ? Optional.of(
                new PluginAnswer.Down(
                    "it has not answered for long", OperatorCode.PLUGIN_UNHEALTHY))
            : Optional.empty();
      }

      @Override
      public void facts(Consumer<PluginAnswer> then) {
        life.check();
        world
            .time()
            .later(
                MOMENT,
                life,
                () ->
                    then.accept(
                        down || unhealthy
                            ? new PluginAnswer.Down("nobody listens at its socket")
                            : new PluginAnswer.Up(
                                true, instance(), false, false, true, false, offer())));
      }

      @Override
      public void knownFacts(Consumer<PluginAnswer> then) {
        facts(then);
      }

      @Override
      public String instance() {
        return SimPlugin.this.instance();
      }

      @Override
      public void call(NodeCall call, Consumer<Answer> then) {
        life.check();
        if (call instanceof NodeCall.Health health) {
          tellHealth(life, health.volume(), then);
          return;
        }
        Call seen = Call.of(call).orElseThrow(() -> new AssertionError("Nobody asked for " + call));
        new Open(life, seen, then).begin();
      }
    };
  }

  private PluginAnswer.HealthOffer offer() {
    return new PluginAnswer.HealthOffer(world.setup().watched(), false, false);
  }

  /** Tells that a volume is well or not, late, or never; nothing else is asked of it meanwhile. */
  private void tellHealth(Life life, VolumeId volume, Consumer<Answer> then) {
    if (calling.get(volume.value()) == life) {
      world.findings().violated("I8", "health of " + volume + " was asked during another call");
    }
    calling.put(volume.value(), life);
    int answer = hung ? 3 : world.choices().choose("health", 4);
    Duration after = answer == 3 ? NodeCall.HEALTH_LIMIT : answer == 2 ? SLOW : MOMENT;
    world
        .time()
        .later(
            after,
            life,
            () -> {
              calling.remove(volume.value(), life);
              then.accept(
                  down
                      ? failed(StatusCode.UNAVAILABLE, false)
                      : answer == 3
                          ? failed(StatusCode.DEADLINE_EXCEEDED, true)
                          : Answer.ok(Optional.of(health(volume, answer != 0))));
            });
  }

  private static VolumeHealthReport health(VolumeId volume, boolean isSick) {
    return new VolumeHealthReport(
        volume,
        isSick
            ? List.of(
                VolumeHealthEntry.of(
                    VolumeHealthEntry.Status.DEGRADED, HealthReason.of("Chosen"), "it was chosen"))
            : List.of());
  }

  /** Its process, as records name it. */
  String instance() {
    return id + "-" + process;
  }

  /** One call that the manager waits for. */
  private final class Open {
    private final Life life;
    private final Call call;
    private final Consumer<Answer> then;

    Open(Life life, Call call, Consumer<Answer> then) {
      this.life = life;
      this.call = call;
      this.then = then;
    }

    void begin() {
      world.watch().sent(SimPlugin.this, life, call);
      if (world.setup().watched() && calling.put(call.volume(), life) == life) {
        world.findings().violated("I8", call + " was sent during another call");
      }
      if (unhealthy) {
        world.findings().violated("C8", call + " was sent to a plugin that gets no calls");
      }
      if (down) {
        answer(MOMENT, failed(StatusCode.UNAVAILABLE, false));
        return;
      }
      if (hung) {
        answer(POLICY.attemptDeadline(), failed(StatusCode.DEADLINE_EXCEEDED, true));
        return;
      }
      if (faulty && world.mayCrashInFlight(call)) {
        if (world.choices().choose("what the crash leaves of " + call.verb(), 2) == 0) {
          apply(call, false);
        } else {
          new Late(call, soon());
        }
        world.crash(life);
      }
      List<Late> working =
          late.stream().filter(it -> it.call.volume().equals(call.volume())).toList();
      if (!working.isEmpty()) {
        if (world.isQuiet()
            || world.choices().choose("late work ends before " + call.verb(), 2) == 1) {
          working.forEach(Late::finish);
        } else if (world.setup().serialising()) {
          answer(MOMENT, failed(StatusCode.ABORTED, true));
          return;
        }
      }
      if (forgotten.contains(call.path())) {
        if (!call.verb().isForward() && world.kernel().isMounted(call.path())) {
          refusals.merge(call.path(), 1, Integer::sum);
          answer(MOMENT, failed(StatusCode.NOT_FOUND, true));
          return;
        }
      }
      perform(faulty ? world.fault(call) : Fault.NONE);
    }

    private void perform(Fault fault) {
      if (fault != Fault.NONE) {
        world.findings().note("FAULT", fault);
      }
      boolean forward = call.verb().isForward();
      switch (fault) {
        case NONE -> ok(true);
        case REFUSED -> answer(MOMENT, failed(refusal(), true));
        case REFUSED_DONE -> {
          apply(call, false);
          answer(MOMENT, failed(refusal(), true));
        }
        case UNCERTAIN_DONE -> {
          apply(call, false);
          answer(MOMENT, failed(any("uncertain", UNCERTAIN), true));
        }
        case UNCERTAIN_NOT_DONE -> answer(MOMENT, failed(any("uncertain", UNCERTAIN), true));
        case LATE -> {
          new Late(call, soon());
          answer(POLICY.attemptDeadline(), failed(StatusCode.DEADLINE_EXCEEDED, true));
        }
        case ROGUE -> {
          new Late(call, POLICY.quarantine().plusMinutes(3));
          answer(POLICY.attemptDeadline(), failed(StatusCode.DEADLINE_EXCEEDED, true));
        }
        // A lie that nobody can see is the plugin's own business.
        case LIE -> {
          boolean isThere = world.kernel().isMounted(call.path());
          if (!forward && isThere) {
            unknown.add(call.path());
            refusals.merge(call.path(), 1, Integer::sum);
          }
          ok(!forward && !isThere);
        }
        case HANG -> answer(POLICY.attemptDeadline(), failed(StatusCode.DEADLINE_EXCEEDED, true));
        case LOST -> {
          apply(call, false);
          answer(MOMENT, failed(StatusCode.UNAVAILABLE, true));
        }
        case NOT_SENT -> answer(MOMENT, failed(StatusCode.UNAVAILABLE, false));
        case TWICE -> {
          ok(true);
          if (forward) {
            world.kernel().mount(call.path(), call.volume(), call.readOnly(), false);
          }
        }
        case OTHER_FLAGS -> {
          if (call.verb() == Verb.PUBLISH) {
            apply(call.turned(), false);
          }
          ok(true);
        }
        case WRONG_PATH -> {
          if (call.verb() == Verb.PUBLISH) {
            world.strayMount(call);
            putInForce(call);
            answer(MOMENT, Answer.ok());
          } else {
            ok(true);
          }
        }
      }
    }

    private StatusCode refusal() {
      return any("refusal", call.verb().isForward() ? REFUSALS_FORWARD : REFUSALS_BACK);
    }

    private void ok(boolean done) {
      boolean isNothing =
          call.verb() == Verb.UNPUBLISH
              && world.kernel().at(call.path()).stream().allMatch(mount -> mount.foreign);
      if (isNothing && faulty && world.setup().strict()) {
        // It knows what is mounted, and nothing else.
        published.remove(call.path());
        inForce.remove(call.path());
        answer(MOMENT, failed(StatusCode.UNKNOWN, true, ""));
        return;
      }
      if (call.verb() == Verb.PUBLISH
          && call.staging() != null
          && !world.kernel().isMounted(call.staging())) {
        answer(MOMENT, failed(StatusCode.FAILED_PRECONDITION, true));
        return;
      }
      if (done) {
        apply(call, false);
      }
      putInForce(call);
      answer(MOMENT, Answer.ok());
    }

    private void answer(Duration after, Answer answer) {
      world
          .time()
          .later(
              after,
              life,
              () -> {
                calling.remove(call.volume(), life);
                world.findings().note("ANSWER", call, word(answer));
                if (isConclusive(answer)) {
                  late.stream()
                      .filter(it -> it.call.isSameAs(call))
                      .forEach(it -> it.overtaken = true);
                }
                world.watch().answered(SimPlugin.this, life, call, answer);
                then.accept(answer);
              });
    }
  }

  /** Done soon enough for a manager that waits as long as it was told to. */
  private static Duration soon() {
    return POLICY.quarantine().minusSeconds(1);
  }

  private StatusCode any(String label, StatusCode... codes) {
    return world.setup().roams() ? codes[world.choices().choose(label, codes.length)] : codes[0];
  }

  private static boolean isConclusive(Answer answer) {
    return switch (code(answer)) {
      case ABORTED, DEADLINE_EXCEEDED, UNAVAILABLE, CANCELLED -> false;
      default -> true;
    };
  }

  private static StatusCode code(Answer answer) {
    return answer.failure().map(CsiFailure::code).orElse(StatusCode.OK);
  }

  private static String word(Answer answer) {
    return answer.isOk() ? "OK" : code(answer) + " " + answer.isSent();
  }

  private static Answer failed(StatusCode code, boolean sent) {
    return failed(code, sent, "told to answer " + code);
  }

  private static Answer failed(StatusCode code, boolean sent, String why) {
    return Answer.failed(
        CsiFailure.builder(SOCKET, code, Outcome.UNCERTAIN)
            .answered(sent)
            .attempts(sent ? 1 : 0)
            .why(why)
            .build());
  }

  /** Somebody takes away what nobody knows of: now nobody can see it any more. */
  void unmountedBySomebody(MountPath path) {
    if (unknown.remove(path)) {
      staged.remove(path);
      published.remove(path);
    }
  }

  private void apply(Call call, boolean rogue) {
    unknown.remove(call.path());
    world.findings().note("DOES", call);
    if (call.verb().isForward()) {
      forgotten.remove(call.path());
    }
    switch (call.verb()) {
      case STAGE -> {
        staged.add(call.path());
        appear(call, rogue);
      }
      case PUBLISH -> {
        published.add(call.path());
        if (!rogue) {
          putInForce(call);
        }
        if (appear(call, rogue)
            && serving == Serving.ALL
            && call.staging() != null
            && world.kernel().isDead(call.staging())) {
          world.kernel().kill(mount -> !mount.foreign && mount.path.equals(call.path()));
        }
      }
      case UNPUBLISH -> {
        published.remove(call.path());
        inForce.remove(call.path());
        disappear(call);
        if (!world.kernel().isMounted(call.path())) {
          tidy(call.path().toPath());
        }
      }
      case UNSTAGE -> {
        staged.remove(call.path());
        disappear(call);
        if (made.contains(call.path().toPath()) && !world.kernel().isMounted(call.path())) {
          tidy(call.path().toPath());
        }
      }
    }
    if (rogue) {
      if (call.verb().isForward()) {
        unknown.add(call.path());
      }
      world.watch().rogue(call);
    }
  }

  /** Removes a target, and what it had to make above of it because nobody else had. */
  private void tidy(Path target) {
    world.disk().removeIfEmpty(target);
    for (Path at = target.getParent(); made.contains(at); at = at.getParent()) {
      world.disk().removeIfEmpty(at);
    }
    made.removeIf(path -> !world.disk().isThere(path));
  }

  private boolean appear(Call call, boolean rogue) {
    if (world.kernel().isDead(call.path())
        && world.choices().choose("what is dead is replaced", 2) == 1) {
      disappear(call);
    }
    boolean there = world.kernel().at(call.path()).stream().anyMatch(mount -> !mount.foreign);
    if (!there) {
      made.addAll(world.disk().makeDirectories(call.path().toPath()));
      world.kernel().mount(call.path(), call.volume(), call.readOnly(), rogue);
    }
    return !there;
  }

  private void disappear(Call call) {
    refusals.remove(call.path());
    world.kernel().unmount(call.path(), mount -> !mount.foreign);
  }
}
