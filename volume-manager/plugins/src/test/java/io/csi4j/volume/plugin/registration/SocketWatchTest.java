package io.csi4j.volume.plugin.registration;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PeerCredentials;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.registration.PluginRegistrar;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.internal.disk.FileFacts;
import io.csi4j.volume.internal.time.VirtualTime;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.plugin.registration.Conversations.End;
import io.csi4j.volume.plugin.registration.Conversations.Failure;
import io.csi4j.volume.plugin.registration.Conversations.Heard;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the watch decides, on virtual time and without sockets. */
class SocketWatchTest {

  private static final Path DIRECTORY = Path.of("/reg");
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Failure SILENT = new Failure(Failure.Kind.SILENT, "it says nothing");

  private final FakeDisk disk = FakeDisk.with(DIRECTORY);
  private final VirtualTime time = new VirtualTime();
  private final RememberingRegistry registry = new RememberingRegistry();
  private final WatchEvents events = new WatchEvents();
  private final Scripted registrars = new Scripted();
  private final SocketWatch watch =
      new SocketWatch(
          disk,
          DIRECTORY,
          new SocketWatch.Settings(
              ConnectOptions.defaults(),
              Duration.ofSeconds(5),
              SECOND,
              Duration.ofSeconds(2),
              SocketWatch.FIRST_PAUSE),
          time,
          time,
          registrars,
          new AnnouncedRegistration(RegistrationWatch.Policy.nodes(), registry, Optional.empty()),
          events::on);

  /** One conversation that was begun. */
  private record Talk(
      long at,
      CsiEndpoint socket,
      Function<Heard, CompletableFuture<PluginRegistrar.Outcome>> judge,
      Consumer<End> then) {}

  /** Conversations that go on when the test says so. */
  private final class Scripted implements Conversations {
    private final List<Talk> begun = new ArrayList<>();

    @Override
    public void begin(
        CsiEndpoint socket,
        Function<Heard, CompletableFuture<PluginRegistrar.Outcome>> judge,
        Consumer<End> then) {
      begun.add(new Talk(time.nanos(), socket, judge, then));
    }

    @Override
    public void close() {}

    Talk last() {
      return begun.get(begun.size() - 1);
    }
  }

  @BeforeEach
  void begin() {
    watch.lookSoon();
    time.settle();
  }

  private void makeSocket(String name) {
    disk.put(DIRECTORY.resolve(name), FileFacts.Kind.SOCKET);
  }

  private void removeSocket(String name) {
    disk.erase(DIRECTORY.resolve(name));
  }

  private void end(End end) {
    registrars.last().then().accept(end);
    time.settle();
  }

  private CompletableFuture<PluginRegistrar.Outcome> announce(
      Talk talk, String name, String endpoint) {
    CompletableFuture<PluginRegistrar.Outcome> outcome =
        talk.judge()
            .apply(
                new Heard(
                    "CSIPlugin",
                    name,
                    Optional.of(PluginName.of(name)),
                    endpoint,
                    Optional.of(CsiEndpoint.of(Path.of(endpoint))),
                    List.of("1.0.0"),
                    PeerCredentials.unknown()));
    time.settle();
    return outcome;
  }

  /** The registrar says that, and hears what comes of it. */
  private PluginRegistrar.Outcome register(String name, String endpoint) {
    PluginRegistrar.Outcome outcome = announce(registrars.last(), name, endpoint).getNow(null);
    end(new End.Told(outcome));
    return outcome;
  }

  @Test
  void aSilentRegistrarIsAskedAgainAfterPausesThatDoubleUpToTwoMinutes() {
    makeSocket("a.sock");
    time.pass(SECOND);
    for (int i = 0; i < 10; i++) {
      end(new End.Failed(SILENT));
      time.pass(SocketWatch.LONGEST_PAUSE);
    }
    long first = registrars.begun.get(0).at();
    List<Long> seconds =
        registrars.begun.stream().map(talk -> (talk.at() - first) / SECOND.toNanos()).toList();

    // Each answer comes two minutes after the one before, and the pause counts from there.
    assertThat(seconds)
        .containsExactly(0L, 1L, 122L, 244L, 368L, 496L, 632L, 784L, 960L, 1080L, 1200L);
    assertThat(events.shown()).containsExactly("REGISTRATION_SILENT of a.sock");
  }

  @Test
  void pausesAreSpreadByAQuarterToEitherSide() {
    assertThat(
            IntStream.rangeClosed(1, 9)
                .mapToObj(failures -> SocketWatch.pause(SECOND, failures, 0.5)))
        .extracting(Duration::toSeconds)
        .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 64L, 120L, 120L);
    assertThat(SocketWatch.pause(SECOND, 4, 0)).isEqualTo(Duration.ofSeconds(6));
    assertThat(SocketWatch.pause(SECOND, 4, 0.999999))
        .isBetween(SECOND.multipliedBy(9), SECOND.multipliedBy(10));
    assertThat(SocketWatch.pause(SECOND, Integer.MAX_VALUE, 0.5))
        .isEqualTo(SocketWatch.LONGEST_PAUSE);
  }

  @Test
  void aSocketThatWasLeftBehindIsNotAskedAgain() {
    makeSocket("a.sock");
    time.pass(SECOND);
    end(new End.Failed(new Failure(Failure.Kind.LEFT_BEHIND, "nobody listens")));
    time.pass(Duration.ofHours(1));
    assertThat(registrars.begun).hasSize(1);

    removeSocket("a.sock");
    makeSocket("a.sock");
    time.pass(SECOND);
    assertThat(registrars.begun).hasSize(2);
  }

  @Test
  void aRegistrarThatComesAgainAndAgainWithTheSameFaultIsToldOfOnce() {
    for (int i = 0; i < 3; i++) {
      removeSocket("a.sock");
      makeSocket("a.sock");
      time.pass(SECOND);
      end(new End.Failed(new Failure(Failure.Kind.UNFIT, "it is no registrar")));
    }
    assertThat(registrars.begun).hasSize(3);
    assertThat(events.shown()).containsExactly("REGISTRATION_REFUSED of a.sock");
  }

  @Test
  void aSocketThatMayNotBeUsedIsToldOfAsSuchAndTriedAgain() {
    makeSocket("a.sock");
    time.pass(SECOND);
    end(new End.Failed(new Failure(Failure.Kind.DENIED, "not for us")));
    assertThat(events.messages(OperatorCode.PLUGIN_SOCKET_DENIED))
        .singleElement()
        .extracting(message -> message.seen().text())
        .isEqualTo("not for us");
    time.pass(SECOND);
    assertThat(registrars.begun).hasSize(2);
  }

  @Test
  void nothingIsRegisteredTwiceForARegistrarThatDidNotHear() {
    makeSocket("a.sock");
    time.pass(SECOND);
    PluginRegistrar.Outcome outcome =
        announce(registrars.last(), "a.csi.example", "/a.sock").getNow(null);
    end(new End.NotTold(outcome, SILENT));
    assertThat(events.shown()).containsExactly("registered a.csi.example by a.sock");
    time.pass(SECOND);
    assertThat(registrars.begun).hasSize(2);

    assertThat(register("a.csi.example", "/a.sock")).isEqualTo(PluginRegistrar.Outcome.accepted());
    assertThat(events.shown()).containsExactly("registered a.csi.example by a.sock");
    assertThat(registry.history()).hasSize(1);
    time.pass(Duration.ofHours(1));
    assertThat(registrars.begun).hasSize(2);
  }

  @Test
  void aSocketMayBeGoneForAsLongAsTheGrace() {
    makeSocket("a.sock");
    time.pass(SECOND);
    register("a.csi.example", "/a.sock");
    removeSocket("a.sock");
    time.pass(Duration.ofSeconds(2));
    assertThat(registry.history()).hasSize(1);
    makeSocket("a.sock");
    time.pass(SECOND);
    register("a.csi.example", "/a.sock");
    assertThat(events.shown())
        .containsExactly("registered a.csi.example by a.sock", "update a.csi.example by a.sock");

    removeSocket("a.sock");
    time.pass(Duration.ofSeconds(3));
    assertThat(events.shown()).last().isEqualTo("deregistered a.csi.example by a.sock");
    assertThat(watch.registered()).isEmpty();
  }

  @Test
  void aRegistrarWhoseSocketGoesWhileItIsAskedIsNotRegistered() {
    makeSocket("a.sock");
    time.pass(SECOND);
    removeSocket("a.sock");
    time.pass(SECOND);

    assertThat(register("a.csi.example", "/a.sock"))
        .isEqualTo(PluginRegistrar.Outcome.refused("the socket is gone"));
    assertThat(events.shown()).isEmpty();
    assertThat(registry.history()).isEmpty();
  }

  @Test
  void aRegistrarThatCameInThePlaceOfTheOneThatWasCalledIsRegistered() {
    makeSocket("a.sock");
    time.pass(SECOND);
    removeSocket("a.sock");
    time.pass(Duration.ofMinutes(1));
    makeSocket("a.sock");
    Talk old = registrars.last();
    time.pass(SECOND);
    assertThat(registrars.begun).hasSize(2);

    assertThat(announce(old, "a.csi.example", "/a.sock"))
        .isCompletedWithValue(PluginRegistrar.Outcome.accepted());
    assertThat(register("a.csi.example", "/a.sock")).isEqualTo(PluginRegistrar.Outcome.accepted());
    old.then().accept(new End.Failed(SILENT));
    time.pass(Duration.ofMinutes(1));
    assertThat(registrars.begun).hasSize(2);
    assertThat(events.shown()).containsExactly("registered a.csi.example by a.sock");
  }

  @Test
  void aRegistrarThatIsBackBeforeAnybodyLookedIsRegistered() {
    makeSocket("a.sock");
    time.pass(SECOND);
    removeSocket("a.sock");
    time.pass(SECOND);
    makeSocket("a.sock");

    assertThat(register("a.csi.example", "/a.sock")).isEqualTo(PluginRegistrar.Outcome.accepted());
    assertThat(events.shown()).containsExactly("registered a.csi.example by a.sock");
  }

  @Test
  void aSocketThatIsMadeAnewWhileItIsAskedIsAskedOnceMore() {
    makeSocket("a.sock");
    time.pass(SECOND);
    removeSocket("a.sock");
    makeSocket("a.sock");
    time.pass(SECOND);
    assertThat(registrars.begun).hasSize(1);
    end(new End.Failed(SILENT));
    assertThat(registrars.begun).hasSize(2);
    assertThat(events.shown()).isEmpty();
  }

  @Test
  void anotherRegistrarTakesThePlaceOfOneThatIsGone() {
    makeSocket("old.sock");
    time.pass(SECOND);
    register("a.csi.example", "/old/csi.sock");
    removeSocket("old.sock");
    makeSocket("new.sock");
    time.pass(SECOND);
    register("a.csi.example", "/new/csi.sock");

    assertThat(events.shown())
        .containsExactly(
            "registered a.csi.example by old.sock",
            "deregistered a.csi.example by old.sock",
            "registered a.csi.example by new.sock");
    time.pass(Duration.ofSeconds(5));
    assertThat(events.shown()).hasSize(3);
  }

  @Test
  void aPluginThatIsAnnouncedElsewhereByTheSameRegistrarMoves() {
    makeSocket("a.sock");
    time.pass(SECOND);
    register("a.csi.example", "/old/csi.sock");
    removeSocket("a.sock");
    makeSocket("a.sock");
    time.pass(SECOND);
    register("a.csi.example", "/new/csi.sock");

    assertThat(events.shown())
        .containsExactly(
            "registered a.csi.example by a.sock",
            "deregistered a.csi.example by a.sock",
            "registered a.csi.example by a.sock");
    assertThat(registry.history())
        .containsExactly(
            "+ a.csi.example of a.sock at /old/csi.sock [NODE]",
            "- a.csi.example of a.sock at /old/csi.sock [NODE]",
            "+ a.csi.example of a.sock at /new/csi.sock [NODE]");
  }

  @Test
  void aDirectoryThatCannotBeReadLosesNothing() {
    makeSocket("a.sock");
    time.pass(SECOND);
    register("a.csi.example", "/a.sock");
    disk.fail(DiskException.Kind.DENIED, (operation, path) -> operation == FakeDisk.Operation.LOOK);
    time.pass(Duration.ofMinutes(1));

    assertThat(events.shown())
        .containsExactly("registered a.csi.example by a.sock", "REGISTRATION_DIRECTORY of reg");
    assertThat(watch.registered()).hasSize(1);
    disk.heal();
    time.pass(SECOND);
    disk.fail(DiskException.Kind.DENIED, (operation, path) -> operation == FakeDisk.Operation.LOOK);
    time.pass(SECOND);
    assertThat(events.messages(OperatorCode.REGISTRATION_DIRECTORY)).hasSize(2);
  }

  @Test
  void theBellBringsOneLookForManyRings() {
    makeSocket("a.sock");
    time.pass(Duration.ofMillis(100));
    assertThat(registrars.begun).isEmpty();
    for (int i = 0; i < 100; i++) {
      watch.bellRings();
    }
    assertThat(time.waiting()).as("the next look, and one for the bell").isEqualTo(2);
    time.pass(SocketWatch.BELL_PAUSE);
    assertThat(registrars.begun).hasSize(1);

    makeSocket("b.sock");
    watch.bellRings();
    time.pass(SocketWatch.BELL_PAUSE);
    assertThat(registrars.begun).hasSize(2);
  }

  @Test
  void afterClosingNothingHappens() {
    makeSocket("a.sock");
    time.pass(SECOND);
    watch.close();
    CompletableFuture<PluginRegistrar.Outcome> outcome =
        announce(registrars.last(), "a.csi.example", "/a.sock");
    time.pass(Duration.ofHours(1));
    assertThat(outcome).isNotDone();
    assertThat(registry.history()).isEmpty();
  }
}
