package io.csi4j.volume.internal.real;

import static io.csi4j.client.model.CsiOperation.GET_PLUGIN_INFO;
import static io.csi4j.client.model.CsiOperation.NODE_EXPAND_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_GET_CAPABILITIES;
import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNPUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNSTAGE_VOLUME;
import static io.csi4j.client.model.CsiOperation.PROBE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.ConnectOptions.Transport;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiConnectException.Reason;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.client.node.VolumeStats;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.internal.lifecycle.CallMeaning;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.link.PluginAnswer.Down;
import io.csi4j.volume.internal.link.PluginAnswer.HealthOffer;
import io.csi4j.volume.internal.link.PluginAnswer.Up;
import io.csi4j.volume.internal.port.ExpandRequest;
import io.csi4j.volume.internal.port.NodeCall;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.internal.time.SystemClock;
import io.csi4j.volume.internal.time.SystemScheduler;
import io.csi4j.volume.internal.time.Waits;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Plugins behind real sockets. */
@Isolated("Counts threads.")
class CsiNodePluginsTest {

  private static final PluginId ID = PluginId.of("fake");
  private static final MountPath ROOT = MountPath.of("/manager");
  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final Duration SECONDS = Duration.ofSeconds(20);
  private static final Plan STAGED =
      new Plan(true, false, AccessMode.SINGLE_NODE_WRITER, "", "", "");

  /** Its volumes need not be attached. */
  private static final PluginShape SHAPE =
      PluginShape.full().without(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);

  private static final MountPolicy ONE_AT_A_TIME = MountPolicy.builder().callsInFlight(1).build();

  @TempDir Path directory;

  private final SystemScheduler scheduler =
      new SystemScheduler(2, "csi4j-volume", Duration.ofSeconds(20));
  private final CsiNodePlugins plugins =
      new CsiNodePlugins(
          ROOT,
          scheduler,
          new SystemClock(),
          new RealDisk(),
          "boot-1",
          ManagerSettings.defaults().secretsLimit());
  private final List<FakeCsiPlugin> open = new ArrayList<>();

  @AfterEach
  void nothingIsLeft() {
    plugins.close();
    open.forEach(FakeCsiPlugin::close);
    scheduler.close();
    Waits.until(() -> threads("csi4j-").isEmpty());
  }

  // ---- helpers

  private static List<String> threads(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(each -> each.startsWith(name))
        .toList();
  }

  private FakeCsiPlugin fake(PluginShape shape) {
    FakeCsiPlugin fake = FakeCsiPlugin.builder().shape(shape).effects(NodeEffects.none()).open();
    fake.addVolume(VOLUME);
    open.add(fake);
    return fake;
  }

  private FakeCsiPlugin fake() {
    return fake(SHAPE);
  }

  private NodePlugin register(CsiEndpoint endpoint, UnaryOperator<PluginBinding.Builder> change) {
    assertThat(plugins.register(change.apply(PluginBinding.builder(ID, endpoint)).build()))
        .isEmpty();
    return plugins.find(ID).orElseThrow();
  }

  private NodePlugin register(FakeCsiPlugin fake) {
    return register(fake.endpoint(), each -> each);
  }

  private NodePlugin register(FakeCsiPlugin fake, MountPolicy policy) {
    return register(fake.endpoint(), each -> each.policy(policy));
  }

  private NodePlugin connected(FakeCsiPlugin fake, UnaryOperator<ConnectOptions.Builder> change) {
    return register(fake.endpoint(), each -> each.connectOptions(options(change)));
  }

  private static ConnectOptions options(UnaryOperator<ConnectOptions.Builder> change) {
    return change.apply(ConnectOptions.builder()).build();
  }

  private static UnaryOperator<PluginBinding.Builder> patient(Duration deadline) {
    return binding -> binding.connectOptions(options(each -> each.deadline(deadline)));
  }

  private static CompletableFuture<PluginAnswer> asking(NodePlugin plugin) {
    CompletableFuture<PluginAnswer> answer = new CompletableFuture<>();
    plugin.facts(each -> assertThat(answer.complete(each)).as("the first answer").isTrue());
    return answer;
  }

  private static PluginAnswer facts(NodePlugin plugin) {
    return Waits.on(asking(plugin));
  }

  private static PluginAnswer known(NodePlugin plugin) {
    CompletableFuture<PluginAnswer> answer = new CompletableFuture<>();
    plugin.knownFacts(answer::complete);
    return Waits.on(answer);
  }

  private static Up up(NodePlugin plugin) {
    PluginAnswer answer = facts(plugin);
    assertThat(answer).isInstanceOf(Up.class);
    return (Up) answer;
  }

  private static Down down(NodePlugin plugin) {
    PluginAnswer answer = facts(plugin);
    assertThat(answer).isInstanceOf(Down.class);
    return (Down) answer;
  }

  private static CompletableFuture<Answer> calling(NodePlugin plugin, NodeCall call) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    plugin.call(call, each -> assertThat(answer.complete(each)).as("the first answer").isTrue());
    return answer;
  }

  private static Answer call(NodePlugin plugin, NodeCall call) {
    return Waits.on(calling(plugin, call));
  }

  private static Answer failed(Answer answer) {
    assertThat(answer.isOk()).isFalse();
    return answer;
  }

  private static String text(Answer failed) {
    return Answer.text(failed.failure().orElseThrow());
  }

  private enum Sent {
    YES,
    NO
  }

  private static Answer failed(StatusCode code, Sent sent, Answer answer) {
    Answer failed = failed(answer);
    assertThat(CallMeaning.status(failed)).isEqualTo(code);
    assertThat(failed.isSent()).as("whether it was sent").isEqualTo(sent == Sent.YES);
    return failed;
  }

  private static MountRequest request(VolumeId volume, SecretsProvider secrets) {
    VolumeUse usage = VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("job"));
    return MountRequest.builder(PluginId.of("plugin"), usage, volume, STAGED.mode())
        .secrets(secrets)
        .build();
  }

  private static NodeCall stage(VolumeId volume, SecretsProvider secrets) {
    return new NodeCall.Stage(request(volume, secrets), STAGED, ROOT.resolve("v/x/s"));
  }

  private static NodeCall stage() {
    return stage(VOLUME, SecretsProvider.none());
  }

  private static NodeCall publish() {
    return publish(Optional.of(ROOT.resolve("v/x/s")));
  }

  private static NodeCall publish(Optional<MountPath> staging) {
    return new NodeCall.Publish(
        request(VOLUME, SecretsProvider.none()), STAGED, staging, ROOT.resolve("v/x/p/u/t"));
  }

  private static NodeCall unpublish() {
    return new NodeCall.Unpublish(VOLUME, ROOT.resolve("v/x/p/u/t"));
  }

  private static NodeCall unstage() {
    return new NodeCall.Unstage(VOLUME, ROOT.resolve("v/x/s"));
  }

  private static RecordedCall sent(FakeCsiPlugin fake, CsiOperation operation) {
    return fake.journal().await(each -> each.operation() == operation, SECONDS);
  }

  private static Reason reason(Down down) {
    return ((CsiConnectException) down.cause().orElseThrow()).reason();
  }

  // ---- what it can do

  @Test
  void aPluginTellsWhatItCanDo() {
    NodePlugin full = register(fake());
    assertThat(up(full))
        .isEqualTo(
            new Up(
                true,
                full.instance(),
                true,
                true,
                true,
                true,
                new HealthOffer(false, true, false)));
    assertThat(full.instance()).startsWith("boot-1/");

    NodePlugin newest = register(fake(PluginShape.full113().named(SHAPE.name())));
    assertThat(up(newest).health()).isEqualTo(new HealthOffer(true, false, true));

    NodePlugin plain =
        register(
            fake(
                SHAPE.without(
                    NodeCapability.STAGE_UNSTAGE_VOLUME,
                    NodeCapability.EXPAND_VOLUME,
                    NodeCapability.GET_VOLUME_STATS,
                    NodeCapability.SINGLE_NODE_MULTI_WRITER,
                    NodeCapability.VOLUME_MOUNT_GROUP)));
    assertThat(up(plain)).isEqualTo(new Up(false, plain.instance(), false, false, false));
  }

  @Test
  void nothingIsKnownAndNothingAskedBeforeItIsNeeded() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = register(fake);

    assertThat(plugin.instance()).isEmpty();
    assertThat(plugins.known()).containsExactly(ID);
    assertThat(plugins.find(PluginId.of("other"))).isEmpty();
    assertThat(fake.journal().calls()).isEmpty();
  }

  @Test
  void manyWhoAskAtOnceAreToldOnceEach() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = register(fake);
    up(plugin);
    fake.inject(Fault.hang(), When.calling(NODE_GET_CAPABILITIES).once());
    fake.journal().clear();
    List<CompletableFuture<PluginAnswer>> answers =
        IntStream.range(0, 50).mapToObj(each -> asking(plugin)).toList();
    sent(fake, NODE_GET_CAPABILITIES);
    fake.release();

    assertThat(answers).allSatisfy(each -> assertThat(Waits.on(each)).isInstanceOf(Up.class));
    assertThat(fake.journal().calls(NODE_GET_CAPABILITIES)).hasSize(1);
  }

  @Test
  void nobodyWaitsForAMissingSocketWhichIsFoundWhenItIsThere() {
    Path socket = directory.resolve("late").resolve("csi.sock");
    NodePlugin late = register(CsiEndpoint.of(socket), patient(Duration.ofHours(1)));

    assertThat(reason(down(late))).isEqualTo(Reason.NO_SUCH_SOCKET);
    Answer call = failed(StatusCode.UNAVAILABLE, Sent.NO, call(late, unpublish()));
    assertThat(text(call)).contains("late");

    FakeCsiPlugin fake = FakeCsiPlugin.builder().socket(socket).effects(NodeEffects.none()).open();
    open.add(fake);
    fake.addVolume(VOLUME);
    up(late);
    assertThat(call(late, unpublish())).isEqualTo(Answer.ok());
  }

  @Test
  @Tag("C1")
  void aSocketThatStaysMissingIsToldOfAndNothingWasSent() {
    NodePlugin plugin =
        register(CsiEndpoint.of(directory.resolve("no.sock")), patient(Duration.ofMillis(20)));

    Down down = down(plugin);
    assertThat(reason(down)).isEqualTo(Reason.NO_SUCH_SOCKET);
    assertThat(down.code())
        .as("C1: a plugin without a socket is not up")
        .isEqualTo(OperatorCode.PLUGIN_NOT_UP);
    assertThat(down.text()).contains("there is no socket 'no.sock'").doesNotContain("\n");
    Answer failed = failed(StatusCode.UNAVAILABLE, Sent.NO, call(plugin, stage()));
    assertThat(text(failed)).contains("there is no socket 'no.sock'");
    assertThat(failed.thrown()).isPresent();
  }

  @Test
  @Tag("C2")
  void aSocketThatAPluginLeftBehindIsToldApartFromAMissingOne() {
    FakeCsiPlugin fake = fake();
    fake.stop();
    NodePlugin plugin = register(fake.endpoint(), patient(Duration.ofMillis(500)));

    Down down = down(plugin);
    assertThat(reason(down)).isEqualTo(Reason.NOBODY_LISTENING);
    assertThat(down.code())
        .as("C2: a socket without a listener is told apart")
        .isEqualTo(OperatorCode.PLUGIN_SOCKET_STALE);
    assertThat(down.text()).contains("no process listens on it").contains("leaves its socket");

    fake.start();
    Waits.until(() -> facts(plugin) instanceof Up);
  }

  @Test
  void whatWaitingCannotMendIsRefusedAtOnce() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "");
    NodePlugin plugin = register(CsiEndpoint.of(file), patient(Duration.ofHours(1)));

    assertThat(reason(down(plugin))).isEqualTo(Reason.NOT_A_SOCKET);
  }

  @Tag("campaign")
  @Test
  void manyRestartsCostNeitherThreadsNorDescriptors() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = register(fake);
    restart(fake, plugin, 10);
    int descriptors = Scratch.descriptors();
    restart(fake, plugin, 200);

    // Of the manager: two that work, one that watches the time. Of the connection: its I/O thread,
    // and those that took in answers a moment ago.
    assertThat(threads("csi4j-volume")).hasSize(3);
    assertThat(threads("csi4j-")).hasSizeLessThan(3 + 10);
    Waits.until(() -> Scratch.descriptors() <= descriptors);
  }

  private static void restart(FakeCsiPlugin fake, NodePlugin plugin, int times) {
    for (int i = 0; i < times; i++) {
      fake.restart();
      // A call may still meet the connection that has just broken.
      Waits.until(() -> call(plugin, unpublish()).isOk());
    }
  }

  @Test
  void aNewProcessHasAnotherNameAndIsAskedAnew() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = connected(fake, with -> with.transport(Transport.JDK));
    Up before = up(plugin);
    assertThat(before.stages()).isTrue();
    fake.upgrade(SHAPE.without(NodeCapability.STAGE_UNSTAGE_VOLUME));
    fake.journal().clear();

    Up after = up(plugin);
    assertThat(after.stages()).isFalse();
    assertThat(after.instance()).isNotEmpty().isNotEqualTo(before.instance());
    assertThat(plugin.instance()).isEqualTo(after.instance());
    assertThat(fake.journal().operations()).contains(GET_PLUGIN_INFO, PROBE);
  }

  @Test
  void aNewProcessIsAskedWhetherItIsReadyAlsoIfACallHasMetItBefore() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = connected(fake, with -> with.transport(Transport.JDK));
    up(plugin);
    String before = plugin.instance();
    fake.journal().clear();
    fake.restart();
    Waits.until(() -> call(plugin, unpublish()).isOk() && !plugin.instance().equals(before));

    up(plugin);
    assertThat(fake.journal().calls(PROBE)).isNotEmpty();
  }

  @Test
  void aCallThatWasMeantForAnotherProcessIsNotSent() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = connected(fake, with -> with.transport(Transport.JDK));
    String before = up(plugin).instance();
    fake.restart();

    Answer failed = failed(StatusCode.UNAVAILABLE, Sent.NO, call(plugin, stage()));
    assertThat(text(failed)).contains("restarted").contains("not sent");
    assertThat(fake.journal().calls(NODE_STAGE_VOLUME)).isEmpty();
    assertThat(plugin.instance()).isNotEmpty().isNotEqualTo(before);
    Waits.until(() -> call(plugin, stage()).isOk());
  }

  @Test
  void aCallIsSentAfterAllIfTheProcessTurnsOutToBeTheSame() throws Exception {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = connected(fake, with -> with.transport(Transport.JDK));
    String before = up(plugin).instance();
    Path socket = fake.endpoint().path();
    Path away = socket.resolveSibling("away");
    Files.move(socket, away);
    fake.journal().clear();
    fake.inject(Fault.hang(), When.calling(PROBE).once());
    CompletableFuture<Answer> answer = calling(plugin, stage());
    sent(fake, PROBE);
    Files.move(away, socket);
    fake.release();

    assertThat(Waits.on(answer)).isEqualTo(Answer.ok());
    assertThat(plugin.instance()).isEqualTo(before);
  }

  @Test
  void oneProcessThatReplacesItsSocketIsTheSameAsBefore() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = connected(fake, with -> with.transport(Transport.EPOLL));
    String before = up(plugin).instance();
    assertThat(before).startsWith("boot-1/" + ProcessHandle.current().pid() + "/");
    fake.replaceSocket();

    Waits.until(() -> call(plugin, stage()).isOk());
    assertThat(plugin.instance()).isEqualTo(before);
  }

  @Test
  @Tag("C16")
  void abilitiesThatCannotBeReadAreUnknownAndNotAbsent() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = register(fake);
    fake.inject(Fault.fail(StatusCode.INTERNAL, "no idea"), When.calling(NODE_GET_CAPABILITIES));

    Down down = down(plugin);
    assertThat(down.text()).contains("no idea").contains("INTERNAL");
    assertThat(down.code())
        .as("C16: not known is not absent")
        .isEqualTo(OperatorCode.CAPABILITIES_UNKNOWN);
    assertThat(call(plugin, unpublish())).as("C16: releases go on").isEqualTo(Answer.ok());

    fake.clearFaults();
    assertThat(up(plugin).stages()).isTrue();
  }

  @Test
  @Tag("C19")
  void aPluginThatIsNotReadyAfterARestartIsDown() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = connected(fake, with -> with.transport(Transport.JDK));
    up(plugin);
    fake.inject(Fault.fail(StatusCode.FAILED_PRECONDITION, "no backend"), When.calling(PROBE));
    up(plugin);
    fake.restart();

    assertThat(down(plugin).text()).contains("no backend");
    assertThat(down(plugin).code())
        .as("C19: not ready is not up")
        .isEqualTo(OperatorCode.PLUGIN_NOT_READY);
    fake.clearFaults();
    up(plugin);
  }

  @Test
  void aQuestionThatIsLostOnTheWayIsAskedOnceMore() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = register(fake);
    up(plugin);
    fake.inject(Fault.drop(), When.calling(NODE_GET_CAPABILITIES).once());
    up(plugin);
    fake.clearFaults();
    fake.inject(Fault.drop(), When.calling(NODE_GET_CAPABILITIES).times(2));

    assertThat(down(plugin).code()).isEqualTo(OperatorCode.PLUGIN_NOT_UP);
    up(plugin);
  }

  @Test
  void aCallWhoseConnectionBreaksMayStillBeGoingOn() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = register(fake);
    up(plugin);
    for (Fault fault : List.of(Fault.drop(), Fault.applyThenDrop())) {
      fake.inject(fault, When.calling(NODE_STAGE_VOLUME).once());
      failed(StatusCode.UNAVAILABLE, Sent.YES, call(plugin, stage()));
      assertThat(fake.journal().calls(NODE_STAGE_VOLUME)).isNotEmpty();
      fake.clearFaults();
    }
  }

  @Test
  void anAnswerWithoutAWordIsOne() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = register(fake);
    up(plugin);
    fake.inject(Fault.fail(StatusCode.UNKNOWN, ""), When.calling(NODE_STAGE_VOLUME).once());

    failed(StatusCode.UNKNOWN, Sent.YES, call(plugin, stage()));
  }

  @Test
  void whatAPluginSaysItselfKeepsItsCode() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = register(fake);
    for (StatusCode code : StatusCode.values()) {
      if (code != StatusCode.OK) {
        fake.inject(Fault.fail(code, "words"), When.calling(NODE_STAGE_VOLUME).once());
        assertThat(CallMeaning.status(failed(call(plugin, stage())))).isEqualTo(code);
        fake.clearFaults();
      }
    }
    fake.inject(Fault.fail(17, "words"), When.calling(NODE_STAGE_VOLUME).once());
    assertThat(CallMeaning.status(failed(call(plugin, stage())))).isEqualTo(StatusCode.UNKNOWN);
  }

  @Test
  void aPluginThatDoesNotSayWhetherItIsReadyIs() {
    FakeCsiPlugin fake = fake(SHAPE.with(Quirk.PROBE_WITHOUT_READY));
    up(register(fake));
  }

  @Test
  void aPluginOfAnotherNameIsDownIfItsNameIsDemanded() {
    FakeCsiPlugin fake = fake();
    PluginName wanted = PluginName.of("right.csi.example");
    NodePlugin plugin = connected(fake, with -> with.requireName(wanted));

    Down down = down(plugin);
    assertThat(reason(down)).isEqualTo(Reason.WRONG_PLUGIN);
    assertThat(down.code()).isEqualTo(OperatorCode.PLUGIN_NAME_CHANGED);
    assertThat(down.text()).contains("'right.csi.example' was expected");
    assertThat(failed(call(plugin, stage())).isSent()).isFalse();
    assertThat(fake.journal().calls(NODE_STAGE_VOLUME)).isEmpty();
  }

  @Test
  @Tag("L7")
  void aPluginThatComesBackUnderAnotherNameGetsNoCall() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = register(fake);
    up(plugin);
    fake.upgrade(SHAPE.named(PluginName.of("other.csi.example")));

    Down down = down(plugin);
    assertThat(down.text()).contains("other.csi.example");
    assertThat(down.code())
        .as("L7: another name is refused")
        .isEqualTo(OperatorCode.PLUGIN_NAME_CHANGED);
    failed(StatusCode.UNAVAILABLE, Sent.NO, call(plugin, stage()));
    assertThat(fake.journal().calls(NODE_STAGE_VOLUME))
        .as("L7: another name gets no call")
        .isEmpty();
  }

  // ---- findings

  @Test
  @Tag("F14")
  void pathsThatNotEveryPluginAcceptsAreFoundAtRegistration() {
    CsiEndpoint endpoint = CsiEndpoint.of(Path.of("/run/csi.sock"));
    // "/v/", 26 characters, "/p/", 26 characters, "/t"
    PluginPath fits = PluginPath.of("/" + "x".repeat(128 - 60 - 1));
    PluginPath tooLong = PluginPath.of("/" + "x".repeat(128 - 60));

    assertThat(plugins.register(PluginBinding.builder(ID, endpoint).seesRootAt(fits).build()))
        .isEmpty();
    assertThat(plugins.register(PluginBinding.builder(ID, endpoint).seesRootAt(tooLong).build()))
        .as("F14: found at the registration")
        .containsExactly(
            new PluginFinding(
                OperatorCode.PLUGIN_PATH_BUDGET,
                "its paths have 129 bytes, and 128 are the most that every plugin accepts"));
  }

  @Test
  @Tag("F15")
  void socketPathsThatNoSocketCanHaveAreFoundAtRegistration() {
    CsiEndpoint fits = CsiEndpoint.of(Path.of("/" + "x".repeat(105)));
    CsiEndpoint tooLong = CsiEndpoint.of(Path.of("/" + "x".repeat(106)));

    assertThat(plugins.register(PluginBinding.of(ID, fits))).isEmpty();
    assertThat(plugins.register(PluginBinding.of(ID, tooLong)))
        .as("F15: found at the registration")
        .containsExactly(
            new PluginFinding(
                OperatorCode.PLUGIN_SOCKET_TOO_LONG,
                "the path of its socket has 107 bytes, but only 106 fit"));
    assertThat(
            plugins.register(
                PluginBinding.builder(ID, tooLong)
                    .connectOptions(options(each -> each.transport(Transport.EPOLL)))
                    .build()))
        .isEmpty();
  }

  // ---- calls

  @Test
  void aVolumeComesAndGoesByThePathsThatThePluginSees() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = register(fake.endpoint(), each -> each.seesRootAt(PluginPath.of("/csi/")));
    assertThat(up(plugin).stages()).isTrue();

    assertThat(call(plugin, stage())).isEqualTo(Answer.ok());
    assertThat(call(plugin, publish())).isEqualTo(Answer.ok());
    assertThat(fake.contents().toString())
        .contains("/csi/v/x/s", "/csi/v/x/p/u/t")
        .doesNotContain("/manager");
    assertThat(call(plugin, unpublish())).isEqualTo(Answer.ok());
    assertThat(call(plugin, unstage())).isEqualTo(Answer.ok());
    assertThat(fake.journal().operations())
        .endsWith(
            NODE_STAGE_VOLUME, NODE_PUBLISH_VOLUME, NODE_UNPUBLISH_VOLUME, NODE_UNSTAGE_VOLUME);
  }

  @Test
  void aPathThatThePluginDoesNotSeeIsNotSent() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = register(fake);

    Answer failed =
        failed(
            StatusCode.INVALID_ARGUMENT,
            Sent.NO,
            call(plugin, new NodeCall.Unstage(VOLUME, MountPath.of("/elsewhere"))));
    assertThat(text(failed)).contains("/elsewhere is not in /manager");
  }

  @Test
  void whatElseIsAskedIsAnsweredWithItsValue() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = register(fake);
    call(plugin, stage());
    call(plugin, publish());
    MountPath target = ROOT.resolve("v/x/p/u/t");
    Optional<MountPath> staging = Optional.of(ROOT.resolve("v/x/s"));

    Answer stats = call(plugin, new NodeCall.Stats(VOLUME, target, staging));
    assertThat(stats.isOk()).isTrue();
    assertThat(stats.value()).get().isInstanceOf(VolumeStats.class);

    Answer grown =
        call(
            plugin,
            new NodeCall.Expand(
                ExpandRequest.of(
                    request(VOLUME, SecretsProvider.none()).usage(),
                    CapacityRange.exactly(1L << 30)),
                VOLUME,
                target,
                staging));
    assertThat(grown).isEqualTo(Answer.ok(Optional.of(1L << 30)));
    assertThat(fake.journal().calls(NODE_EXPAND_VOLUME)).hasSize(1);
  }

  @Test
  void aCallIsMadeOnceAndItsFailureHasItsCode() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = register(fake);
    fake.inject(Fault.fail(StatusCode.ABORTED, "in\nprogress"), When.calling(NODE_STAGE_VOLUME));

    Answer failed = failed(StatusCode.ABORTED, Sent.YES, call(plugin, stage()));
    assertThat(text(failed)).contains("in\\nprogress").doesNotContain("\n");
    assertThat(failed.thrown()).get().extracting(each -> each.code()).isEqualTo(StatusCode.ABORTED);
    assertThat(fake.journal().calls(NODE_STAGE_VOLUME)).hasSize(1);
  }

  @Test
  void whatIsRefusedUnsentIsReasonToAskAgainWhatThePluginOffers() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = register(fake);
    up(plugin);
    fake.journal().clear();
    assertThat(known(plugin)).isInstanceOf(Up.class);
    assertThat(fake.journal().calls(NODE_GET_CAPABILITIES)).as("it is known").isEmpty();

    failed(StatusCode.INVALID_ARGUMENT, Sent.NO, call(plugin, publish(Optional.empty())));
    fake.journal().clear();

    assertThat(known(plugin)).isInstanceOf(Up.class);
    assertThat(fake.journal().calls(NODE_GET_CAPABILITIES)).hasSize(1);
  }

  @Test
  void aCallThatIsNotAnsweredEndsAtTheDeadlineOfThePolicy() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin =
        register(fake, MountPolicy.builder().attemptDeadline(Duration.ofMillis(500)).build());
    up(plugin);
    fake.inject(Fault.applyThenHang(), When.calling(NODE_STAGE_VOLUME));

    failed(StatusCode.DEADLINE_EXCEEDED, Sent.YES, call(plugin, stage()));
  }

  @Test
  void okWithWordsIsOk() {
    assertThat(call(register(fake(SHAPE.with(Quirk.MESSAGE_ON_OK))), stage()))
        .isEqualTo(Answer.ok());
  }

  @Test
  void secretsAreAskedForOnAThreadOfTheirOwnBeforeTheCall() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = register(fake);
    List<String> asked = new ArrayList<>();
    SecretsProvider provider =
        operation -> {
          asked.add(operation + " on " + Thread.currentThread().getName());
          return Secrets.of(Map.of("key", "hush"));
        };

    assertThat(call(plugin, stage(VOLUME, provider))).isEqualTo(Answer.ok());
    assertThat(asked)
        .singleElement()
        .asString()
        .startsWith("NODE_STAGE_VOLUME on csi4j-volume-secrets-");
    assertThat(fake.journal().last(NODE_STAGE_VOLUME)).isPresent();
  }

  @Test
  void onlyACallThatTakesSecretsIsHandedOverBeforeItIsSent() {
    Queue<String> threads = new ConcurrentLinkedQueue<>();
    CsiListener noting =
        new CsiListener() {
          @Override
          public void onStart(Started attempt) {
            threads.add(Thread.currentThread().getName());
          }
        };
    NodePlugin plugin = connected(fake(), options -> options.listener(noting));
    up(plugin);
    call(plugin, stage());
    threads.clear();

    assertThat(call(plugin, stage())).isEqualTo(Answer.ok());
    assertThat(threads.remove()).isEqualTo(Thread.currentThread().getName());
    SecretsProvider secrets = SecretsProvider.always(Secrets.of(Map.of("key", "hush")));
    assertThat(call(plugin, stage(VOLUME, secrets))).isEqualTo(Answer.ok());
    assertThat(threads.remove()).startsWith("csi4j-volume-worker-");
    assertThat(threads).isEmpty();
  }

  @Test
  void answersAreTakenInOnTheIoThreadUnlessTheHostHasSomethingDoneThere() {
    NodePlugin plain = register(fake());
    up(plain);
    call(plain, stage());
    assertThat(threadOfAnswer(plain)).startsWith("csi4j-io-");

    NodePlugin listened = connected(fake(), options -> options.listener(new CsiListener() {}));
    up(listened);
    call(listened, stage());
    assertThat(threadOfAnswer(listened)).startsWith("csi4j-callback-");
  }

  /** An answer that is there before the caller can wait for it is taken in by the caller. */
  private static String threadOfAnswer(NodePlugin plugin) {
    String caller = Thread.currentThread().getName();
    String name = caller;
    for (int i = 0; i < 100 && name.equals(caller); i++) {
      CompletableFuture<String> thread = new CompletableFuture<>();
      plugin.call(stage(), answer -> thread.complete(Thread.currentThread().getName()));
      name = Waits.on(thread);
    }
    return name;
  }

  @Test
  void secretsThatAreNotGivenMakeARefusalThatTellsNothing() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = register(fake);

    Answer threw =
        failed(
            StatusCode.UNAUTHENTICATED,
            Sent.NO,
            call(
                plugin,
                stage(
                    VOLUME,
                    operation -> {
                      throw new IllegalStateException("hush");
                    })));
    assertThat(text(threw))
        .isEqualTo(
            "the call was not sent: the host's provider of secrets failed with"
                + " java.lang.IllegalStateException");
    assertThat(fake.journal().calls(NODE_STAGE_VOLUME)).isEmpty();
  }

  private static SecretsProvider slow(CountDownLatch end) {
    return operation -> {
      try {
        end.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException("hush", e);
      }
      return Secrets.empty();
    };
  }

  @Test
  void providersOfSecretsThatAreSlowHoldUpNoCallThatTakesNone() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = register(fake);
    up(plugin);
    CountDownLatch end = new CountDownLatch(1);
    List<VolumeId> volumes =
        IntStream.range(0, 50).mapToObj(each -> VolumeId.of("slow-" + each)).toList();
    volumes.forEach(fake::addVolume);
    List<CompletableFuture<Answer>> waiting =
        volumes.stream().map(volume -> calling(plugin, stage(volume, slow(end)))).toList();

    assertThat(call(plugin, stage())).isEqualTo(Answer.ok());
    CompletableFuture<String> thread = new CompletableFuture<>();
    scheduler.execute(() -> thread.complete(Thread.currentThread().getName()));
    assertThat(Waits.on(thread)).startsWith("csi4j-volume-worker-");
    assertThat(waiting).noneMatch(CompletableFuture::isDone);
    assertThat(threads("csi4j-volume-secrets-")).hasSizeLessThanOrEqualTo(8);
    end.countDown();
    waiting.forEach(each -> assertThat(Waits.on(each)).isEqualTo(Answer.ok()));
  }

  @Test
  void anErrorWhileACallIsSentOrAnsweredLeavesNoCallWithoutAnAnswerAndGivesItsPlaceBack() {
    AtomicInteger left = new AtomicInteger();
    FakeCsiPlugin fake = fake();
    CsiNodePlugins torn =
        new CsiNodePlugins(
            ROOT,
            scheduler,
            new SystemClock(),
            tearing(left),
            "boot-1",
            ManagerSettings.defaults().secretsLimit());
    try {
      torn.register(PluginBinding.builder(ID, fake.endpoint()).policy(ONE_AT_A_TIME).build());
      NodePlugin plugin = torn.find(ID).orElseThrow();
      assertThat(call(plugin, stage()).isOk()).isTrue();
      fake.inject(
          Fault.fail(StatusCode.INTERNAL, "no"), When.calling(CsiOperation.NODE_STAGE_VOLUME));

      for (int at = 1; at <= 6; at++) {
        left.set(at);
        assertThat(call(plugin, stage()).isOk()).isFalse();
        left.set(0);
      }

      fake.clearFaults();
      assertThat(call(plugin, stage()).isOk()).isTrue();
    } finally {
      torn.close();
    }
  }

  /** The disk of this machine, one of whose calls throws an error: the one that many away. */
  private static Disk tearing(AtomicInteger left) {
    Disk disk = new RealDisk();
    return (Disk)
        Proxy.newProxyInstance(
            Disk.class.getClassLoader(),
            new Class<?>[] {Disk.class},
            (proxy, method, arguments) -> {
              if (left.get() > 0 && left.decrementAndGet() == 0) {
                throw new Error("of a test");
              }
              try {
                return method.invoke(disk, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            });
  }

  @Test
  void secretsAreWaitedForNoLongerThanTheHostSays() {
    FakeCsiPlugin fake = fake();
    CsiNodePlugins brief =
        new CsiNodePlugins(
            ROOT, scheduler, new SystemClock(), new RealDisk(), "boot-1", Duration.ofMillis(200));
    try {
      assertThat(brief.register(PluginBinding.builder(ID, fake.endpoint()).build())).isEmpty();

      Answer late =
          failed(
              StatusCode.UNAUTHENTICATED,
              Sent.NO,
              call(brief.find(ID).orElseThrow(), stage(VOLUME, slow(new CountDownLatch(1)))));

      assertThat(text(late)).contains("the host's provider of secrets gave none within 200 ms");
    } finally {
      brief.close();
    }
  }

  @Test
  void secretsThatDoNotComeInTimeMakeARefusal() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin =
        register(fake, MountPolicy.builder().attemptDeadline(Duration.ofMillis(600)).build());
    up(plugin);
    CountDownLatch never = new CountDownLatch(1);

    Answer late =
        failed(StatusCode.UNAUTHENTICATED, Sent.NO, call(plugin, stage(VOLUME, slow(never))));
    assertThat(text(late))
        .startsWith("the call was not sent: the host's provider of secrets gave none within 5");
    assertThat(fake.journal().calls(NODE_STAGE_VOLUME)).isEmpty();
    // Its thread was interrupted, and its place is free again.
    Waits.until(() -> Waits.working("csi4j-volume-secrets-").isEmpty());
  }

  @Test
  void aProviderThatIsNotWaitedForOnAThreadGivesItsSecretsLater() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = register(fake);
    up(plugin);
    CompletableFuture<Secrets> later = new CompletableFuture<>();
    CompletableFuture<Answer> answer =
        calling(plugin, stage(VOLUME, SecretsProvider.async(operation -> later)));
    Waits.until(() -> Waits.working("csi4j-volume-secrets-").isEmpty());
    assertThat(answer).isNotDone();

    later.complete(Secrets.of(Map.of("key", "hush")));
    assertThat(Waits.on(answer)).isEqualTo(Answer.ok());
    Answer refused =
        failed(
            StatusCode.UNAUTHENTICATED,
            Sent.NO,
            call(
                plugin,
                stage(
                    VOLUME,
                    SecretsProvider.async(
                        operation ->
                            CompletableFuture.failedFuture(new IllegalStateException("hush"))))));
    assertThat(text(refused))
        .endsWith("the host's provider of secrets failed with java.lang.IllegalStateException");
  }

  @Test
  void moreCallsThanAreAllowedWaitInOrderWithoutAThread() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = register(fake, ONE_AT_A_TIME);
    up(plugin);
    fake.inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME).once());
    List<VolumeId> volumes =
        IntStream.range(0, 100).mapToObj(each -> VolumeId.of("many-" + each)).toList();
    volumes.forEach(fake::addVolume);
    List<CompletableFuture<Answer>> answers =
        volumes.stream()
            .map(volume -> calling(plugin, stage(volume, SecretsProvider.none())))
            .toList();
    sent(fake, NODE_STAGE_VOLUME);
    assertThat(answers).noneMatch(CompletableFuture::isDone);
    assertThat(threads("csi4j-volume")).hasSize(3);
    fake.release();

    answers.forEach(each -> assertThat(Waits.on(each)).isEqualTo(Answer.ok()));
    assertThat(fake.journal().calls(NODE_STAGE_VOLUME))
        .extracting(each -> each.volume().orElseThrow())
        .isEqualTo(volumes);
    assertThat(fake.journal().calls(NODE_STAGE_VOLUME)).allMatch(each -> each.beside().isEmpty());
  }

  @Test
  void aCallWhoseTurnDoesNotComeInTimeIsNotSent() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin =
        register(fake, ONE_AT_A_TIME.toBuilder().attemptDeadline(Duration.ofMillis(1500)).build());
    up(plugin);
    fake.inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME));
    CompletableFuture<Answer> first = calling(plugin, stage());
    sent(fake, NODE_STAGE_VOLUME);
    CompletableFuture<Void> working = new CompletableFuture<>();
    scheduler.execute(() -> Waits.on(working));
    scheduler.execute(() -> Waits.on(working));
    CompletableFuture<Answer> second = calling(plugin, stage());
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1600));
    working.complete(null);

    assertThat(failed(Waits.on(first)).isSent()).isTrue();
    Answer late = failed(StatusCode.DEADLINE_EXCEEDED, Sent.NO, Waits.on(second));
    assertThat(text(late))
        .contains("until its time limit expired, after 1500 ms")
        .contains("1 open call,");
    VolumeId other = VolumeId.of("vol-2");
    fake.addVolume(other);
    assertThat(call(plugin, new NodeCall.Unpublish(other, ROOT.resolve("t"))))
        .isEqualTo(Answer.ok());
    assertThat(fake.journal().calls(NODE_STAGE_VOLUME)).hasSize(1);
  }

  @Test
  void aPluginThatHangsDelaysNoOther() {
    FakeCsiPlugin hung = fake();
    NodePlugin hangs = register(hung);
    up(hangs);
    hung.freeze();
    List<CompletableFuture<Answer>> stuck =
        IntStream.range(0, 200).mapToObj(each -> calling(hangs, stage())).toList();
    CompletableFuture<PluginAnswer> asked = asking(hangs);
    for (int i = 0; i < 4; i++) {
      PluginId id = PluginId.of("other-" + i);
      assertThat(plugins.register(PluginBinding.of(id, fake().endpoint()))).isEmpty();
      NodePlugin plugin = plugins.find(id).orElseThrow();
      up(plugin);
      assertThat(call(plugin, stage())).isEqualTo(Answer.ok());
    }

    assertThat(stuck).noneMatch(CompletableFuture::isDone);
    assertThat(asked).isNotDone();
    assertThat(threads("csi4j-volume")).hasSize(3);
    hung.thaw();
    stuck.forEach(each -> Waits.on(each));
    Waits.on(asked);
  }

  // ---- other bindings, and the end

  @Test
  void aCallThatWasSentOutlivesItsBinding() {
    FakeCsiPlugin fake = fake();
    NodePlugin old = register(fake, ONE_AT_A_TIME);
    fake.inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME).once());
    CompletableFuture<Answer> sent = calling(old, stage());
    CompletableFuture<Answer> waits = calling(old, unpublish());
    sent(fake, NODE_STAGE_VOLUME);

    NodePlugin now = register(fake);
    assertThat(now).isNotSameAs(old);
    assertThat(text(failed(Waits.on(waits)))).isEqualTo("the plugin was registered again");
    assertThat(failed(call(old, unpublish())).isSent()).isFalse();
    assertThat(call(now, unpublish())).isEqualTo(Answer.ok());
    assertThat(sent).isNotDone();
    fake.release();
    assertThat(Waits.on(sent)).isEqualTo(Answer.ok());
  }

  @Test
  void aProcessThatWasThePluginIsKnownToRunAsLongAsItDoes() {
    NodePlugin old = register(fake());
    String instance = up(old).instance();

    NodePlugin now = register(fake());

    assertThat(now.mayStillRun(instance)).isTrue();
    assertThat(now.mayStillRun(instance + "0")).isFalse();
  }

  @Test
  void aQuestionToAReplacedBindingIsAnsweredByTheOneInItsPlace() {
    FakeCsiPlugin first = fake(SHAPE.without(NodeCapability.STAGE_UNSTAGE_VOLUME));
    NodePlugin old = register(first);
    first.inject(Fault.hang(), When.calling(NODE_GET_CAPABILITIES).once());
    CompletableFuture<PluginAnswer> asked = asking(old);
    sent(first, NODE_GET_CAPABILITIES);

    NodePlugin now = register(fake());

    assertThat(up(old)).isEqualTo(up(now));
    assertThat(up(old).stages()).isTrue();
    ((CsiNodePlugin) old).bar(new Down("it is unhealthy"));
    assertThat(up(old)).as("what it was barred for is over").isEqualTo(up(now));
    assertThat(Waits.on(asked)).isEqualTo(up(now));
  }

  @Test
  void aPluginThatIsNotRegisteredAnyMoreIsNotFound() {
    NodePlugin plugin = register(fake());
    up(plugin);

    assertThat(plugins.deregister(ID)).isTrue();
    assertThat(plugins.deregister(ID)).isFalse();
    assertThat(plugins.find(ID)).isEmpty();
    assertThat(text(failed(call(plugin, unpublish()))))
        .isEqualTo("the plugin is no longer registered");
  }

  private static RegisteredPlugin registered(FakeCsiPlugin fake) {
    return new RegisteredPlugin(
        PluginRegistration.node(PluginBinding.builder(ID, fake.endpoint()).build()),
        new PluginHealth(
            State.READY,
            PluginHealth.Reason.ANSWERED,
            new PluginHealth.Text("it is ready"),
            Instant.EPOCH),
        Optional.empty(),
        false);
  }

  @Test
  void theEndOfAnInstanceThatComesLateDoesNotTouchTheOneThatReplacedIt() {
    plugins.serve(ID, Optional.of(registered(fake()))).run();
    NodePlugin old = plugins.find(ID).orElseThrow();
    up(old);

    Runnable late = plugins.serve(ID, Optional.empty());
    assertThat(plugins.find(ID)).isEmpty();
    plugins.serve(ID, Optional.of(registered(fake()))).run();
    late.run();

    NodePlugin now = plugins.find(ID).orElseThrow();
    up(now);
    assertThat(call(now, unpublish())).isEqualTo(Answer.ok());
    assertThat(text(failed(call(old, unpublish()))))
        .isEqualTo("the plugin is no longer registered");
  }

  @Test
  void closingAnswersEveryCallOnce() throws IOException {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = register(fake, ONE_AT_A_TIME);
    up(plugin);
    fake.inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME));
    CompletableFuture<Answer> sent = calling(plugin, stage());
    sent(fake, NODE_STAGE_VOLUME);
    fake.inject(Fault.hang(), When.anyCall());
    List<CompletableFuture<Answer>> waiting =
        IntStream.range(0, 20).mapToObj(each -> calling(plugin, unpublish())).toList();
    CompletableFuture<PluginAnswer> asked = asking(plugin);
    PluginId mute = PluginId.of("mute");
    Path socket = directory.resolve("mute.sock");
    ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listener.bind(UnixDomainSocketAddress.of(socket));
    assertThat(
            plugins.register(
                PluginBinding.builder(mute, CsiEndpoint.of(socket))
                    .connectOptions(options(each -> each.deadline(Duration.ofHours(1))))
                    .build()))
        .isEmpty();
    NodePlugin gone = plugins.find(mute).orElseThrow();
    CompletableFuture<Answer> unconnected = calling(gone, unpublish());
    CompletableFuture<PluginAnswer> unasked = asking(gone);
    plugins.close();

    assertThat(CallMeaning.status(failed(Waits.on(sent)))).isEqualTo(StatusCode.CANCELLED);
    assertThat(failed(Waits.on(sent)).isSent()).isTrue();
    for (CompletableFuture<Answer> each : waiting) {
      assertThat(failed(Waits.on(each)).isSent()).isFalse();
      assertThat(text(failed(Waits.on(each)))).isEqualTo("the volume manager is closed");
    }
    assertThat(Waits.on(asked)).isInstanceOf(Down.class);
    assertThat(text(failed(Waits.on(unconnected)))).isEqualTo("the volume manager is closed");
    assertThat(Waits.on(unasked)).isInstanceOf(Down.class);
    assertThat(failed(call(plugin, stage())).isSent()).isFalse();
    assertThat(down(gone).text()).isEqualTo("the volume manager is closed");
    assertThatThrownBy(() -> register(fake))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the volume manager is closed");
    listener.close();
  }

  @Test
  void anAnswerThatCannotBeTakenInHarmsNoOther() {
    FakeCsiPlugin fake = fake();
    NodePlugin plugin = register(fake, ONE_AT_A_TIME);
    AtomicInteger told = new AtomicInteger();
    Consumer<Answer> thrower =
        each -> {
          told.incrementAndGet();
          throw new AssertionError("of a test");
        };
    plugin.call(unpublish(), thrower);
    assertThat(call(plugin, unpublish())).isEqualTo(Answer.ok());
    // The next call goes out before the answer of the one before it is told.
    Waits.until(() -> told.get() == 1);

    fake.inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME));
    CompletableFuture<Answer> sent = calling(plugin, stage());
    sent(fake, NODE_STAGE_VOLUME);
    plugin.call(unpublish(), thrower);
    CompletableFuture<Answer> waits = calling(plugin, unpublish());
    plugin.call(unpublish(), thrower);
    assertThat(plugins.deregister(ID)).isTrue();

    assertThat(failed(Waits.on(waits)).isSent()).isFalse();
    assertThat(told).hasValue(3);
    fake.release();
    assertThat(Waits.on(sent)).isEqualTo(Answer.ok());
  }

  @Test
  void aQuestionWhoseAnswerCannotBeTakenInHarmsNoOther() {
    NodePlugin plugin = register(fake());
    plugin.facts(
        each -> {
          throw new AssertionError("of a test");
        });

    up(plugin);
  }
}
