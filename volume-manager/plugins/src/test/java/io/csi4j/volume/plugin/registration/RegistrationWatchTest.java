package io.csi4j.volume.plugin.registration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.registration.PluginRegistrar;
import io.csi4j.testkit.FakeRegistrar;
import io.csi4j.testkit.FakeRegistrar.Announced;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.Fault.WrongAnswer;
import io.csi4j.testkit.model.RegistrationCall;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginException;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.registration.RegistrationWatch.Announcement;
import io.csi4j.volume.plugin.registration.RegistrationWatch.Policy.Decision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** A watched directory with registrars in it, over real sockets. */
@Isolated("Counts threads.")
class RegistrationWatchTest {

  private static final PluginName EBS = PluginName.of("ebs.csi.aws.com");
  private static final CsiEndpoint EBS_SOCKET = CsiEndpoint.of(Path.of("/run/ebs/csi.sock"));
  private static final String EBS_FILE = "ebs.csi.aws.com-reg.sock";
  private static final String EBS_LINE =
      "ebs.csi.aws.com of ebs.csi.aws.com-reg.sock at /run/ebs/csi.sock [NODE]";
  private static final PluginName NFS = PluginName.of("nfs.csi.k8s.io");
  private static final CsiEndpoint NFS_SOCKET = CsiEndpoint.of(Path.of("/run/nfs/csi.sock"));
  private static final String NFS_FILE = "nfs.csi.k8s.io-reg.sock";
  private static final String NFS_LINE =
      "nfs.csi.k8s.io of nfs.csi.k8s.io-reg.sock at /run/nfs/csi.sock [NODE]";

  private final RememberingRegistry registry = new RememberingRegistry();
  private final WatchEvents events = new WatchEvents();
  private final List<AutoCloseable> opened = new ArrayList<>();

  @TempDir Path home;
  private Path directory;

  @BeforeEach
  void makeTheDirectory() throws IOException {
    directory = Files.createDirectory(home.resolve("reg"));
  }

  @AfterEach
  void closeAll() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }

  private RegistrationWatch watch() {
    return watch(builder -> builder);
  }

  private RegistrationWatch watch(UnaryOperator<RegistrationWatch.Builder> change) {
    RegistrationWatch watch =
        change
            .apply(
                RegistrationWatch.builder(directory, registry)
                    .listener(events)
                    .interval(Duration.ofMillis(10))
                    .grace(Duration.ofMillis(50))
                    .firstPause(Duration.ofMillis(20))
                    .limit(Duration.ofSeconds(20)))
            .open();
    opened.add(watch);
    return watch;
  }

  private FakeRegistrar registrar(Announced announced) {
    return registrar(FakeRegistrar.builder(directory).announce(announced));
  }

  private FakeRegistrar registrar(FakeRegistrar.Builder builder) {
    FakeRegistrar registrar = builder.open();
    opened.add(registrar);
    return registrar;
  }

  private static Announced ebs() {
    return Announced.of(EBS, EBS_SOCKET);
  }

  private static Announced nfs() {
    return Announced.of(NFS, NFS_SOCKET);
  }

  private String line(OperatorCode code, String file, String seen, String safe, String next) {
    return code.label()
        + ": checking the registration socket '"
        + directory.resolve(file)
        + "': "
        + seen
        + "; "
        + safe
        + ". "
        + next
        + ".";
  }

  private String refusal(String file, String seen) {
    return line(
        OperatorCode.REGISTRATION_REFUSED,
        file,
        seen,
        "earlier registrations stay",
        "Fix the announcing program; csi4j retries when its socket is recreated");
  }

  private String silence(String file, String seen) {
    return line(
        OperatorCode.REGISTRATION_SILENT,
        file,
        seen,
        "earlier registrations stay",
        "Wait: csi4j retries after growing pauses. Remove an orphaned socket");
  }

  private void assertSaid(OperatorCode code, String line) {
    assertThat(events.messages(code)).singleElement().hasToString(line);
  }

  // ---- lawful registrars

  @Test
  void whatIsAnnouncedIsRegisteredAndTheRegistrarIsToldSo() {
    RegistrationWatch watch = watch();
    FakeRegistrar registrar = registrar(ebs());

    events.await("registered ebs.csi.aws.com by " + EBS_FILE);
    WatchEvents.until(() -> !registrar.told().isEmpty());
    assertThat(registrar.told()).containsExactly(PluginRegistrar.Outcome.accepted());
    assertThat(registrar.asked()).isEqualTo(1);
    assertThat(registrar.authorities()).containsExactly("localhost", "localhost");
    assertThat(registry.history()).containsExactly("+ " + EBS_LINE);
    assertThat(watch.registered())
        .singleElement()
        .satisfies(
            known -> {
              assertThat(known.socket()).isEqualTo(registrar.socket());
              assertThat(known.name()).isEqualTo(EBS);
              assertThat(known.endpoint()).isEqualTo(EBS_SOCKET);
              assertThat(known.versions()).containsExactly("1.0.0");
            });
  }

  @Test
  void aRegistrarWithoutAnEndpointIsThePluginItself() {
    watch();
    FakeRegistrar registrar = registrar(ebs().endpoint(""));

    events.await("registered ebs.csi.aws.com by " + EBS_FILE);
    assertThat(registry.history())
        .containsExactly(
            "+ ebs.csi.aws.com of " + EBS_FILE + " at " + registrar.socket() + " [NODE]");
  }

  @Test
  void registrarsThatWereThereFirstAreFoundAndOtherFilesArePassedOver() throws IOException {
    FakeRegistrar registrar = registrar(ebs());
    registrar(FakeRegistrar.builder(directory).announce(nfs()).socketName(".nfs-reg.sock"));
    Files.writeString(directory.resolve("a-file"), "not a socket");
    Files.createDirectory(directory.resolve("b-directory.sock"));
    Files.createSymbolicLink(directory.resolve("c-link.sock"), registrar.socket());
    watch();

    events.await("registered ebs.csi.aws.com by " + EBS_FILE);
    registrar.close();
    events.await(
        "registered ebs.csi.aws.com by " + EBS_FILE, "deregistered ebs.csi.aws.com by " + EBS_FILE);
    assertThat(registry.history()).containsExactly("+ " + EBS_LINE, "- " + EBS_LINE);
  }

  @Test
  void aRegistrarThatTakesItsTimeIsWaitedFor() {
    watch();
    FakeRegistrar registrar =
        registrar(FakeRegistrar.builder(directory).announce(ebs()).socketName("late.sock"));
    registrar.inject(RegistrationCall.GET_INFO, Fault.delay(Duration.ofMillis(100)));
    registrar.inject(
        RegistrationCall.NOTIFY_REGISTRATION_STATUS, Fault.delay(Duration.ofMillis(100)));
    registrar.start();

    WatchEvents.until(() -> registrar.told().contains(PluginRegistrar.Outcome.accepted()));
    assertThat(events.messages(OperatorCode.REGISTRATION_REFUSED)).isEmpty();
  }

  // ---- sockets that come and go

  @Test
  void aSocketThatIsGoneTakesItsPluginWithIt() {
    RegistrationWatch watch = watch();
    FakeRegistrar registrar = registrar(ebs());
    events.await("registered ebs.csi.aws.com by " + EBS_FILE);

    registrar.close();
    events.await(
        "registered ebs.csi.aws.com by " + EBS_FILE, "deregistered ebs.csi.aws.com by " + EBS_FILE);
    assertThat(registry.history()).containsExactly("+ " + EBS_LINE, "- " + EBS_LINE);
    assertThat(watch.registered()).isEmpty();
  }

  @Test
  void aRegistrarThatRegistersTwiceIsAnUpdateAndNothingElse() {
    watch();
    FakeRegistrar registrar = registrar(ebs());
    events.await("registered ebs.csi.aws.com by " + EBS_FILE);
    WatchEvents.until(() -> registrar.told().size() == 1);

    registrar.start();
    events.await(
        "registered ebs.csi.aws.com by " + EBS_FILE, "update ebs.csi.aws.com by " + EBS_FILE);
    WatchEvents.until(() -> registrar.told().size() == 2);
    assertThat(registrar.told())
        .containsExactly(PluginRegistrar.Outcome.accepted(), PluginRegistrar.Outcome.accepted());
    assertThat(registry.history()).containsExactly("+ " + EBS_LINE, "+ " + EBS_LINE);
  }

  @Test
  void aSocketThatIsMadeAnewWithAnotherPluginReplacesTheFormerOne() {
    watch();
    FakeRegistrar registrar =
        registrar(FakeRegistrar.builder(directory).announce(ebs()).socketName("any.sock"));
    events.await("registered ebs.csi.aws.com by any.sock");
    WatchEvents.until(() -> registrar.told().size() == 1);

    registrar.announce(nfs());
    registrar.start();
    events.await(
        "registered ebs.csi.aws.com by any.sock",
        "deregistered ebs.csi.aws.com by any.sock",
        "registered nfs.csi.k8s.io by any.sock");
  }

  @Test
  void aDirectoryThatIsDeletedAndMadeAgainIsWatchedOn() throws IOException {
    watch();
    FakeRegistrar first = registrar(ebs());
    events.await("registered ebs.csi.aws.com by " + EBS_FILE);
    first.close();
    Files.delete(directory);
    WatchEvents.until(() -> events.shown().size() == 3);
    assertThat(events.shown())
        .containsExactlyInAnyOrder(
            "registered ebs.csi.aws.com by " + EBS_FILE,
            "REGISTRATION_DIRECTORY of reg",
            "deregistered ebs.csi.aws.com by " + EBS_FILE);
    assertSaid(
        OperatorCode.REGISTRATION_DIRECTORY,
        OperatorCode.REGISTRATION_DIRECTORY.label()
            + ": looking for registration sockets in '"
            + directory
            + "': there is no such directory; registrations stay while their sockets exist. Create"
            + " the directory or permit reading; csi4j keeps trying.");

    Files.createDirectory(directory);
    registrar(nfs());
    WatchEvents.until(() -> events.shown().size() == 4);
    assertThat(events.shown()).last().isEqualTo("registered nfs.csi.k8s.io by " + NFS_FILE);
  }

  // ---- registrars that misbehave

  @Tag("campaign")
  @Test
  void aRegistrarThatNeverAnswersIsToldOfOnceAskedAgainAndHoldsUpNobody() {
    FakeRegistrar mute = registrar(ebs());
    mute.inject(RegistrationCall.GET_INFO, Fault.hang());
    watch(builder -> builder.limit(Duration.ofSeconds(1)));
    WatchEvents.until(() -> mute.asked() == 1);

    FakeRegistrar other = registrar(nfs());
    WatchEvents.until(() -> other.told().contains(PluginRegistrar.Outcome.accepted()));
    assertThat(events.shown()).contains("registered nfs.csi.k8s.io by " + NFS_FILE);
    WatchEvents.until(() -> mute.asked() >= 2);
    assertSaid(
        OperatorCode.REGISTRATION_SILENT, silence(EBS_FILE, "it gave no answer within 1000 ms"));

    mute.clearFaults();
    mute.release();
    WatchEvents.until(() -> mute.told().contains(PluginRegistrar.Outcome.accepted()));
    assertThat(registry.history()).containsExactly("+ " + NFS_LINE, "+ " + EBS_LINE);
  }

  @Test
  void aRegistrarOfAnotherTypeIsRefusedAndToldWhy() {
    watch();
    FakeRegistrar registrar = registrar(ebs().type("DevicePlugin").versions("v1beta1"));

    events.await("REGISTRATION_REFUSED of " + EBS_FILE);
    String line =
        refusal(
            EBS_FILE,
            "it announces a plugin of type 'DevicePlugin', but only 'CSIPlugin' is registered"
                + " here");
    assertSaid(OperatorCode.REGISTRATION_REFUSED, line);
    WatchEvents.until(() -> !registrar.told().isEmpty());
    assertThat(registrar.told()).containsExactly(PluginRegistrar.Outcome.refused(line));
    assertThat(registry.history()).isEmpty();
  }

  @Test
  void aRegistrarOfAnotherVersionIsRefusedEndsAndIsAskedAgainWhenItIsBack() {
    watch();
    FakeRegistrar registrar = registrar(ebs().versions("0.3.0", "2.0.0"));

    events.await("REGISTRATION_REFUSED of " + EBS_FILE);
    String line =
        refusal(
            EBS_FILE, "it announces the versions '0.3.0', '2.0.0' of CSI, but this host needs 1.x");
    assertSaid(OperatorCode.REGISTRATION_REFUSED, line);
    WatchEvents.until(() -> !registrar.listens());
    assertThat(registrar.told()).containsExactly(PluginRegistrar.Outcome.refused(line));
    assertThat(registrar.asked()).isEqualTo(1);

    registrar.announce(ebs().versions("0.3.0", "v1.8.0"));
    registrar.start();
    events.await(
        "REGISTRATION_REFUSED of " + EBS_FILE, "registered ebs.csi.aws.com by " + EBS_FILE);
  }

  @Test
  void everythingThatIsWrongWithAnAnnouncementIsToldAtOnce() {
    watch();
    registrar(
        FakeRegistrar.builder(directory)
            .socketName("bad.sock")
            .announce(ebs().name("-\n\u202e").endpoint("run/csi.sock").versions(new String[0])));

    events.await("REGISTRATION_REFUSED of bad.sock");
    assertSaid(
        OperatorCode.REGISTRATION_REFUSED,
        refusal(
            "bad.sock",
            "it announces the name '-\\n\\u202e', which no CSI plugin can have: "
                + PluginName.brokenRule("-\\n\\u202e").orElseThrow()
                + "; it announces the socket 'run/csi.sock', which is not an absolute path; it"
                + " announces no version of CSI, but this host needs 1.x"));
  }

  @Test
  void anAnswerThatIsTooLargeIsNotTaken() {
    FakeRegistrar registrar = registrar(ebs());
    registrar.inject(RegistrationCall.GET_INFO, Fault.answer(WrongAnswer.OVERSIZED));
    watch();

    events.await("REGISTRATION_REFUSED of " + EBS_FILE);
    assertSaid(
        OperatorCode.REGISTRATION_REFUSED,
        refusal(EBS_FILE, "its answer is larger than the 65536 bytes allowed"));
    assertThat(registrar.told()).isEmpty();
  }

  @Test
  void anAnswerThatIsNoneIsNotTaken() {
    FakeRegistrar registrar = registrar(ebs());
    registrar.inject(RegistrationCall.GET_INFO, Fault.answer(WrongAnswer.MALFORMED));
    watch();

    events.await("REGISTRATION_REFUSED of " + EBS_FILE);
    assertSaid(OperatorCode.REGISTRATION_REFUSED, refusal(EBS_FILE, "its answer cannot be read"));
  }

  @Test
  void aRegistrarThatFailsIsQuotedAndAskedAgain() {
    FakeRegistrar registrar = registrar(ebs());
    registrar.injectOnce(
        RegistrationCall.GET_INFO, Fault.fail(StatusCode.INTERNAL, "no\nplugin\u0007 yet"));
    watch();

    events.await("REGISTRATION_SILENT of " + EBS_FILE, "registered ebs.csi.aws.com by " + EBS_FILE);
    assertSaid(
        OperatorCode.REGISTRATION_SILENT,
        silence(EBS_FILE, "it answered with an error (INTERNAL: no\\nplugin\\u0007 yet)"));
  }

  @Test
  void aSocketThatWasLeftBehindIsDroppedUntilItIsMadeAnew() {
    FakeRegistrar registrar = registrar(ebs());
    registrar.stop();
    watch(builder -> builder.limit(Duration.ofMillis(200)));

    events.await("REGISTRATION_SILENT of " + EBS_FILE);
    assertSaid(
        OperatorCode.REGISTRATION_SILENT,
        line(
            OperatorCode.REGISTRATION_SILENT,
            EBS_FILE,
            "the socket file exists, but no process listens on it",
            "earlier registrations stay",
            "Start its registrar, or remove the socket; it is called again when it is recreated"));

    registrar.start();
    events.await("REGISTRATION_SILENT of " + EBS_FILE, "registered ebs.csi.aws.com by " + EBS_FILE);
  }

  @Test
  void aRegistrarThatDiesBeforeItsPluginIsToldStaysRegisteredAndIsToldWhenItIsBack() {
    FakeRegistrar registrar = registrar(ebs());
    registrar.injectOnce(RegistrationCall.NOTIFY_REGISTRATION_STATUS, Fault.drop());
    watch();

    events.await("registered ebs.csi.aws.com by " + EBS_FILE);
    WatchEvents.until(() -> !registrar.told().isEmpty());
    assertThat(registrar.told()).containsExactly(PluginRegistrar.Outcome.accepted());
    assertThat(registrar.asked()).isEqualTo(2);
    assertThat(registry.history()).containsExactly("+ " + EBS_LINE);
    assertThat(events.shown()).hasSize(1);
  }

  @Tag("campaign")
  @Test
  void aRegistrarThatDoesNotHearIsToldOfOnce() {
    FakeRegistrar registrar = registrar(ebs());
    registrar.inject(RegistrationCall.NOTIFY_REGISTRATION_STATUS, Fault.hang());
    watch(builder -> builder.limit(Duration.ofSeconds(1)));

    events.await("registered ebs.csi.aws.com by " + EBS_FILE, "REGISTRATION_SILENT of " + EBS_FILE);
    assertSaid(
        OperatorCode.REGISTRATION_SILENT, silence(EBS_FILE, "it gave no answer within 1000 ms"));
    assertThat(registry.history()).containsExactly("+ " + EBS_LINE);
  }

  @Test
  void somethingThatIsNoRegistrarIsNotRegistered() throws Exception {
    try (var plugin =
        io.csi4j.testkit.FakeCsiPlugin.builder().socket(directory.resolve("csi.sock")).open()) {
      watch();
      events.await("REGISTRATION_REFUSED of csi.sock");
      assertSaid(
          OperatorCode.REGISTRATION_REFUSED,
          refusal("csi.sock", "the listener speaks gRPC, but does not serve plugin registration"));
      assertThat(plugin.endpoint().path()).isEqualTo(directory.resolve("csi.sock"));
    }
  }

  @Test
  void twoRegistrarsWithOneNameAndTwoSocketsAreNotBothRegistered() {
    watch();
    registrar(ebs());
    events.await("registered ebs.csi.aws.com by " + EBS_FILE);
    FakeRegistrar second =
        registrar(
            FakeRegistrar.builder(directory)
                .socketName("second.sock")
                .announce(ebs().endpoint("/run/other/csi.sock")));

    events.await("registered ebs.csi.aws.com by " + EBS_FILE, "PLUGIN_DUPLICATE of second.sock");
    String line =
        line(
            OperatorCode.PLUGIN_DUPLICATE,
            "second.sock",
            "it announces the plugin 'ebs.csi.aws.com' at unix:///run/other/csi.sock, and '"
                + directory.resolve(EBS_FILE)
                + "' has announced it at unix:///run/ebs/csi.sock",
            "the first plugin stays",
            "Stop the wrong one, or register it under another id");
    assertSaid(OperatorCode.PLUGIN_DUPLICATE, line);
    WatchEvents.until(() -> !second.told().isEmpty());
    assertThat(second.told()).containsExactly(PluginRegistrar.Outcome.refused(line));
    assertThat(registry.history()).containsExactly("+ " + EBS_LINE);
  }

  @Test
  void registrarsInADirectoryWhereEverybodyMayWriteAreNotAsked() throws IOException {
    FakeRegistrar registrar = registrar(ebs());
    Files.setAttribute(directory, "unix:mode", 0777);
    watch();

    events.await("REGISTRATION_REFUSED of " + EBS_FILE);
    assertThat(events.messages(OperatorCode.REGISTRATION_REFUSED).get(0).seen().text())
        .startsWith("every user may write to the directory '" + directory + "'");
    assertThat(registrar.asked()).isZero();

    Files.setAttribute(directory, "unix:mode", 0700);
    events.await(
        "REGISTRATION_REFUSED of " + EBS_FILE, "registered ebs.csi.aws.com by " + EBS_FILE);
  }

  @Test
  void aRegistrarOfTheWrongUserIsNotAsked() {
    FakeRegistrar registrar = registrar(ebs());
    watch(
        builder -> builder.connectOptions(ConnectOptions.builder().requirePeerUid(54321).build()));

    events.await("REGISTRATION_REFUSED of " + EBS_FILE);
    assertThat(events.messages(OperatorCode.REGISTRATION_REFUSED).get(0).seen().text())
        .endsWith("listens on the socket, but user 54321 is required");
    assertThat(registrar.asked()).isZero();
  }

  // ---- the host

  @Test
  void theHostDecidesWhatIsRegistered() {
    watch(
        builder ->
            builder.policy(
                announcement -> {
                  Decision usual = RegistrationWatch.Policy.nodes().decide(announcement);
                  PluginRegistration made = ((Decision.Register) usual).registration();
                  return announcement.name().equals(EBS)
                      ? new Decision.Register(
                          PluginRegistration.node(made.binding(), InstanceId.of("pod-7")))
                      : new Decision.Refuse("only EBS is meant to run here");
                }));
    registrar(ebs());
    events.await("registered ebs.csi.aws.com by " + EBS_FILE);
    FakeRegistrar other = registrar(nfs());
    events.await(
        "registered ebs.csi.aws.com by " + EBS_FILE, "REGISTRATION_REFUSED of " + NFS_FILE);

    assertThat(registry.history())
        .containsExactly("+ ebs.csi.aws.com of pod-7 at /run/ebs/csi.sock [NODE]");
    assertSaid(
        OperatorCode.REGISTRATION_REFUSED, refusal(NFS_FILE, "only EBS is meant to run here"));
    WatchEvents.until(() -> other.told().size() == 1);
  }

  @Test
  void aHostThatFailsHasRefused() {
    watch(
        builder ->
            builder.policy(
                announcement -> {
                  throw new IllegalStateException("secret");
                }));
    registrar(ebs());

    events.await("REGISTRATION_REFUSED of " + EBS_FILE);
    assertSaid(
        OperatorCode.REGISTRATION_REFUSED,
        refusal(EBS_FILE, "the host's policy failed with java.lang.IllegalStateException"));
  }

  @Test
  void anErrorOfTheHostHoldsUpNobody() {
    watch(
        builder ->
            builder.policy(
                announcement -> {
                  if (announcement.name().equals(EBS)) {
                    throw new StackOverflowError();
                  }
                  return RegistrationWatch.Policy.nodes().decide(announcement);
                }));
    registrar(ebs());
    events.await("REGISTRATION_REFUSED of " + EBS_FILE);
    assertSaid(
        OperatorCode.REGISTRATION_REFUSED,
        refusal(EBS_FILE, "checking its announcement failed with java.lang.StackOverflowError"));
    registrar(nfs());
    events.await("REGISTRATION_REFUSED of " + EBS_FILE, "registered nfs.csi.k8s.io by " + NFS_FILE);
  }

  @Test
  void whatTheRegistryRefusesTheRegistrarIsTold() {
    PluginException refused =
        new PluginException(
            Messages.of(
                OperatorCode.PLUGIN_DUPLICATE, Subject.of("registering a plugin"), "it is there"));
    registry.refuse(refused);
    watch();
    FakeRegistrar registrar = registrar(ebs());

    events.await("PLUGIN_DUPLICATE of " + EBS_FILE);
    WatchEvents.until(() -> !registrar.told().isEmpty());
    assertThat(registrar.told())
        .containsExactly(PluginRegistrar.Outcome.refused(refused.operatorMessage().line()));
  }

  @Test
  void closingEndsEveryThreadAndLeavesWhatIsRegistered() {
    FakeRegistrar mute = registrar(nfs());
    mute.inject(RegistrationCall.GET_INFO, Fault.hang());
    registrar(ebs());
    RegistrationWatch watch = watch(builder -> builder.limit(Duration.ofMinutes(5)));
    events.await("registered ebs.csi.aws.com by " + EBS_FILE);
    WatchEvents.until(() -> mute.asked() == 1);
    assertThat(threads()).isNotEmpty();

    watch.close();
    WatchEvents.until(() -> threads().isEmpty());
    assertThat(registry.history()).containsExactly("+ " + EBS_LINE);
    watch.close();
  }

  @Test
  void aListenerMayCloseTheWatch() throws Exception {
    CompletableFuture<RegistrationWatch> opening = new CompletableFuture<>();
    CompletableFuture<List<Announcement>> closed = new CompletableFuture<>();
    opening.complete(
        watch(
            builder ->
                builder.listener(
                    event -> {
                      opening.join().close();
                      closed.complete(opening.join().registered());
                    })));

    registrar(ebs());

    assertThat(closed.get(60, TimeUnit.SECONDS)).hasSize(1);
  }

  @Test
  void aWatchWithoutTimeIsRefused() {
    RegistrationWatch.Builder builder = RegistrationWatch.builder(directory, registry);
    assertThatThrownBy(() -> builder.limit(Duration.ZERO))
        .hasMessage("The limit has to be positive, not PT0S.");
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("csi4j-volume-regist") || name.startsWith("csi4j-callback"))
        .toList();
  }
}
