package io.csi4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.registration.PluginRegistrar;
import io.csi4j.client.registration.RegistrarException;
import io.csi4j.client.registration.RegistrarException.Call;
import io.csi4j.client.registration.RegistrarException.Reason;
import io.csi4j.testkit.FakeRegistrar.Announced;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.Fault.WrongAnswer;
import io.csi4j.testkit.model.PluginClock;
import io.csi4j.testkit.model.RegistrationCall;
import io.csi4j.testkit.model.VirtualClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A registrar and its client, over a real socket. */
@Isolated("Counts threads.")
class FakeRegistrarTest {

  private static final PluginName NAME = PluginName.of("ebs.csi.aws.com");
  private static final Announced EBS =
      Announced.of(NAME, CsiEndpoint.of(Path.of("/run/ebs/csi.sock")));
  private static final ConnectOptions PATIENT =
      ConnectOptions.builder().deadline(Duration.ofSeconds(30)).build();
  private static final ConnectOptions BRIEF =
      ConnectOptions.builder().deadline(Duration.ofMillis(500)).build();

  @TempDir Path directory;
  private FakeRegistrar registrar;

  @BeforeEach
  void open() {
    registrar = FakeRegistrar.builder(directory).announce(EBS).open();
  }

  @AfterEach
  void closeAndLookForThreads() {
    registrar.close();
    until(
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .noneMatch(
                    name ->
                        name.startsWith("csi4j-testkit-registrar")
                            || name.startsWith("csi4j-callback")));
  }

  private static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).isNegative();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private PluginRegistrar connect(ConnectOptions options) {
    return PluginRegistrar.connect(CsiEndpoint.of(registrar.socket()), options);
  }

  private RegistrarException infoFailure(ConnectOptions options) {
    try (PluginRegistrar client = connect(options)) {
      RegistrarException failure = catchThrowableOfType(RegistrarException.class, client::info);
      assertThat(failure.call()).isEqualTo(Call.GET_INFO);
      assertThat(failure.endpoint().path()).isEqualTo(registrar.socket());
      return failure;
    }
  }

  @Test
  void itSaysWhatItAnnouncesAndHearsWhatBecameOfIt() {
    try (PluginRegistrar client = connect(PATIENT)) {
      PluginRegistrar.Announcement info = client.info();
      assertThat(info.type()).isEqualTo(PluginRegistrar.Announcement.CSI);
      assertThat(info.name()).isEqualTo("ebs.csi.aws.com");
      assertThat(info.pluginName()).contains(NAME);
      assertThat(info.endpoint()).isEqualTo("/run/ebs/csi.sock");
      assertThat(info.pluginEndpoint()).contains(CsiEndpoint.of(Path.of("/run/ebs/csi.sock")));
      assertThat(info.supportedVersions()).containsExactly("1.0.0");
      assertThat(client.socket().path()).isEqualTo(directory.resolve("ebs.csi.aws.com-reg.sock"));
      client.tell(PluginRegistrar.Outcome.accepted());
      client.tell(PluginRegistrar.Outcome.accepted());
    }
    assertThat(registrar.asked()).isEqualTo(1);
    assertThat(registrar.told())
        .containsExactly(PluginRegistrar.Outcome.accepted(), PluginRegistrar.Outcome.accepted());
    assertThat(registrar.authorities()).containsOnly("localhost").hasSize(3);
  }

  @Test
  void theSameGoesWithoutBlocking() {
    try (PluginRegistrar client = connect(PATIENT)) {
      CompletionStage<String> threads =
          client.async().info().thenApply(info -> Thread.currentThread().getName());
      assertThat(threads.toCompletableFuture().join()).doesNotContain("grpc");
      client.async().tell(PluginRegistrar.Outcome.accepted()).toCompletableFuture().join();
      registrar.inject(RegistrationCall.GET_INFO, Fault.fail(StatusCode.ABORTED, "later"));
      assertThatThrownBy(() -> client.async().info().toCompletableFuture().join())
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(RegistrarException.class);
    }
    assertThat(registrar.told()).containsExactly(PluginRegistrar.Outcome.accepted());
  }

  @Test
  void anEmptyEndpointIsTheSocketOfTheRegistrar() {
    registrar.announce(EBS.endpoint(""));
    try (PluginRegistrar client = connect(PATIENT)) {
      assertThat(client.info().pluginEndpoint()).contains(client.socket());
    }
  }

  @Test
  void hostileTextsAreEscapedAndNoNameAndNoPath() {
    String evil = "\u001b[2J\n\u202e" + "x".repeat(5000);
    registrar.announce(EBS.versions(evil).type(evil).name(evil).endpoint("/run/\n/csi.sock"));
    try (PluginRegistrar client = connect(PATIENT)) {
      PluginRegistrar.Announcement info = client.info();
      assertThat(info.pluginName()).isEmpty();
      assertThat(info.pluginEndpoint()).isEmpty();
      assertThat(info.endpoint()).isEqualTo("/run/\\n/csi.sock");
      assertThat(List.of(info.type(), info.name(), info.supportedVersions().get(0)))
          .allSatisfy(
              text ->
                  assertThat(text)
                      .startsWith("\\u001b[2J\\n\\u202exxx")
                      .endsWith("… (5006 characters in all)")
                      .hasSizeLessThan(1100));
      assertThat(info.toString()).doesNotContain("\n", "\u001b");
    }
  }

  @Test
  void noMoreVersionsAreKeptThanTheLimit() {
    registrar.announce(EBS.versions("1.0.0,".repeat(1000).split(",", -1)));
    try (PluginRegistrar client = connect(PATIENT)) {
      assertThat(client.info().supportedVersions())
          .hasSize(PluginRegistrar.Announcement.VERSIONS_LIMIT);
    }
  }

  @Test
  void anAnnouncementThatWouldGrowInTheHeapIsNotTaken() {
    registrar.announce(EBS.versions(",".repeat(33_000).split(",", -1)));
    RegistrarException refused = infoFailure(PATIENT);

    assertThat(refused.reason()).isEqualTo(Reason.UNUSABLE_ANSWER);
    assertThat(refused.failure().why())
        .isEqualTo("its answer is larger than the 65536 bytes allowed");

    registrar.announce(EBS.versions(",".repeat(3_000).split(",", -1)));
    ConnectOptions less = PATIENT.toBuilder().maxMessageBytes(1000).build();
    assertThat(infoFailure(less).failure().why())
        .isEqualTo("its answer is larger than the 1000 bytes allowed");
  }

  @Test
  void itEndsWithoutAnAnswerWhenItsPluginIsRefusedAndLeavesItsSocket() {
    try (PluginRegistrar client = connect(PATIENT)) {
      RegistrarException failure =
          catchThrowableOfType(
              RegistrarException.class,
              () -> client.tell(PluginRegistrar.Outcome.refused("not here")));
      assertThat(failure.reason()).isEqualTo(Reason.LOST);
      assertThat(failure.call()).isEqualTo(Call.NOTIFY_REGISTRATION_STATUS);
      // The connection ends first, and the socket may still listen when the client looks at it.
      assertThat(failure)
          .hasMessageMatching(
              "Notifying the registrar at unix:///.*-reg.sock of the registration status"
                  + " failed: (the socket file exists, but no process listens on it"
                  + " \\(UNAVAILABLE\\)\\. Start the plugin; .*"
                  + "|the plugin ended the connection; a process listens on the socket again now"
                  + " \\(UNAVAILABLE\\)\\. Try again, .*)"
                  + " \\[NotifyRegistrationStatus, unix:///.*-reg.sock, [0-9]+ ms]");
    }
    until(() -> !registrar.listens());
    assertThat(registrar.socket()).exists();
    assertThat(registrar.told()).containsExactly(PluginRegistrar.Outcome.refused("not here"));

    registrar.start();
    try (PluginRegistrar client = connect(PATIENT)) {
      assertThat(client.info().pluginName()).contains(NAME);
    }
    registrar.close();
    assertThat(Files.exists(registrar.socket())).isFalse();
  }

  @Test
  void itEndsAlsoIfTheRefusalWasHeardBeforeItsTurnToAnswer() {
    registrar.inject(RegistrationCall.NOTIFY_REGISTRATION_STATUS, Fault.apply());
    try (PluginRegistrar client = connect(PATIENT)) {
      RegistrarException failure =
          catchThrowableOfType(
              RegistrarException.class,
              () -> client.tell(PluginRegistrar.Outcome.refused("not here")));
      assertThat(failure.reason()).isEqualTo(Reason.LOST);
    }
    until(() -> !registrar.listens());
    assertThat(registrar.told()).containsExactly(PluginRegistrar.Outcome.refused("not here"));
  }

  @Test
  void oneThatStaysWhenItIsRefusedAnswers() {
    registrar.close();
    registrar = FakeRegistrar.builder(directory).announce(EBS).endsWhenRefused(false).open();
    try (PluginRegistrar client = connect(PATIENT)) {
      client.tell(PluginRegistrar.Outcome.refused("a\nb"));
    }
    assertThat(registrar.told()).containsExactly(PluginRegistrar.Outcome.refused("a\\nb"));
    assertThat(registrar.listens()).isTrue();
  }

  @Test
  void aCallThatHangsEndsInTimeAndGoesOnWhenItIsReleased() {
    registrar.inject(RegistrationCall.GET_INFO, Fault.hang());
    RegistrarException failure = infoFailure(BRIEF);
    assertThat(failure.reason()).isEqualTo(Reason.NO_ANSWER);
    assertThat(failure.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
    assertThat(failure.failure().why()).isEqualTo("it gave no answer within 500 ms");

    try (PluginRegistrar client = connect(PATIENT)) {
      CompletionStage<PluginRegistrar.Announcement> info = client.async().info();
      until(() -> registrar.asked() == 2);
      registrar.release();
      assertThat(info.toCompletableFuture().join().pluginName()).contains(NAME);
    }
  }

  @Test
  void whoeverWasCountedIsReleased() {
    registrar.inject(RegistrationCall.GET_INFO, Fault.hang());
    try (PluginRegistrar client = connect(PATIENT)) {
      for (int call = 1; call <= 500; call++) {
        CompletionStage<PluginRegistrar.Announcement> info = client.async().info();
        while (registrar.asked() < call) {
          Thread.onSpinWait();
        }
        registrar.release();
        assertThat(info.toCompletableFuture().join().pluginName()).contains(NAME);
      }
    }
  }

  @Test
  void faultsDoWhatTheySay() {
    registrar.injectOnce(RegistrationCall.GET_INFO, Fault.fail(StatusCode.ABORTED, "bad\nday"));
    RegistrarException failed = infoFailure(PATIENT);
    assertThat(failed.reason()).isEqualTo(Reason.FAILED);
    assertThat(failed.code()).isEqualTo(StatusCode.ABORTED);
    assertThat(failed).hasMessageContaining("(ABORTED); it says: \"bad\\nday\". Look at");

    registrar.injectOnce(RegistrationCall.GET_INFO, Fault.drop());
    assertThat(infoFailure(PATIENT).reason()).isEqualTo(Reason.LOST);
    registrar.injectOnce(RegistrationCall.GET_INFO, Fault.answer(WrongAnswer.MALFORMED));
    assertThat(infoFailure(PATIENT).reason()).isEqualTo(Reason.UNUSABLE_ANSWER);
    registrar.injectOnce(RegistrationCall.GET_INFO, Fault.answer(WrongAnswer.OVERSIZED));
    RegistrarException large = infoFailure(PATIENT);
    assertThat(large.reason()).isEqualTo(Reason.UNUSABLE_ANSWER);
    assertThat(large.failure().why())
        .isEqualTo("its answer is larger than the 65536 bytes allowed");
    registrar.injectOnce(RegistrationCall.GET_INFO, Fault.answer(WrongAnswer.TWO_MESSAGES));
    assertThat(infoFailure(PATIENT).reason()).isNotEqualTo(Reason.LOST);
    registrar.injectOnce(RegistrationCall.GET_INFO, Fault.answer(WrongAnswer.EMPTY));
    try (PluginRegistrar client = connect(PATIENT)) {
      assertThat(client.info().name()).isEmpty();
      assertThat(client.info().name()).isEqualTo("ebs.csi.aws.com");
    }
  }

  @Test
  void whatIsAppliedAndNotAnsweredWasHeard() {
    registrar.inject(RegistrationCall.NOTIFY_REGISTRATION_STATUS, Fault.applyThenDrop());
    try (PluginRegistrar client = connect(PATIENT)) {
      assertThatThrownBy(() -> client.tell(PluginRegistrar.Outcome.accepted()))
          .isInstanceOf(RegistrarException.class);
    }
    assertThat(registrar.told()).containsExactly(PluginRegistrar.Outcome.accepted());
  }

  @Test
  void aDuplicateIsHeardTwoTimesAlsoIfItIsDenied() {
    registrar.inject(
        RegistrationCall.NOTIFY_REGISTRATION_STATUS,
        Fault.duplicate().then(Fault.fail(StatusCode.ABORTED, "later")));
    try (PluginRegistrar client = connect(PATIENT)) {
      assertThatThrownBy(() -> client.tell(PluginRegistrar.Outcome.accepted()))
          .isInstanceOfSatisfying(
              RegistrarException.class,
              failure -> assertThat(failure.code()).isEqualTo(StatusCode.ABORTED));
    }
    assertThat(registrar.told())
        .containsExactly(PluginRegistrar.Outcome.accepted(), PluginRegistrar.Outcome.accepted());
  }

  @Test
  void whatIsPutOffAndNotAnsweredIsHeardOnItsClock() {
    VirtualClock clock = VirtualClock.create();
    registrar.close();
    registrar = FakeRegistrar.builder(directory).announce(EBS).clock(clock).open();
    Duration late = Duration.ofMinutes(1);
    registrar.inject(
        RegistrationCall.NOTIFY_REGISTRATION_STATUS,
        Fault.applyLater(late).then(Fault.fail(StatusCode.ABORTED, "later")));
    try (PluginRegistrar client = connect(PATIENT)) {
      assertThatThrownBy(() -> client.tell(PluginRegistrar.Outcome.accepted()))
          .isInstanceOf(RegistrarException.class);
    }
    assertThat(registrar.told()).isEmpty();

    clock.advance(late);

    assertThat(registrar.told()).containsExactly(PluginRegistrar.Outcome.accepted());
  }

  @Test
  void cancellingClosingAndInterruptingEndACall() throws InterruptedException {
    registrar.inject(RegistrationCall.GET_INFO, Fault.hang());
    PluginRegistrar client = connect(PATIENT);
    CompletionStage<PluginRegistrar.Announcement> cancelled = client.async().info();
    assertThat(cancelled.toCompletableFuture().cancel(true)).isTrue();

    Thread.currentThread().interrupt();
    assertThatThrownBy(client::info)
        .isInstanceOfSatisfying(
            RegistrarException.class,
            failure -> assertThat(failure.reason()).isEqualTo(Reason.INTERRUPTED));
    assertThat(Thread.interrupted()).isTrue();

    CompletionStage<PluginRegistrar.Announcement> open = client.async().info();
    client.close();
    assertThatThrownBy(() -> open.toCompletableFuture().join())
        .cause()
        .isInstanceOfSatisfying(
            RegistrarException.class,
            failure -> assertThat(failure.reason()).isEqualTo(Reason.CLOSED));
    assertThatThrownBy(client::info)
        .isInstanceOfSatisfying(
            RegistrarException.class,
            failure -> assertThat(failure.reason()).isEqualTo(Reason.CLOSED));
    client.close();
  }

  @Test
  void aPluginIsNoRegistrar() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open();
        PluginRegistrar client = PluginRegistrar.connect(plugin.endpoint(), PATIENT)) {
      assertThatThrownBy(client::info)
          .isInstanceOfSatisfying(
              RegistrarException.class,
              failure -> assertThat(failure.reason()).isEqualTo(Reason.NOT_A_REGISTRAR));
    }
  }

  @Test
  void theSocketIsCheckedAsThatOfAPlugin() throws Exception {
    Path link = Files.createSymbolicLink(directory.resolve("link"), registrar.socket());
    assertThatThrownBy(() -> PluginRegistrar.connect(CsiEndpoint.of(link), PATIENT))
        .isInstanceOfSatisfying(
            CsiConnectException.class,
            failure -> assertThat(failure.reason()).isEqualTo(CsiConnectException.Reason.SYMLINK));
    registrar.stop();
    assertThatThrownBy(() -> connect(BRIEF))
        .isInstanceOfSatisfying(
            CsiConnectException.class,
            failure ->
                assertThat(failure.reason())
                    .isEqualTo(CsiConnectException.Reason.NOBODY_LISTENING));
  }

  @Test
  void theSocketOfTheRegistrarThatTookItsPlaceStays() {
    registrar.stop();
    try (FakeRegistrar second = FakeRegistrar.builder(directory).announce(EBS).open()) {
      assertThatThrownBy(registrar::start).hasMessageContaining("another server listens there");
      assertThat(announced(second)).isEqualTo(NAME.value());
      registrar.close();
      assertThat(announced(second)).isEqualTo(NAME.value());
    }
  }

  private static String announced(FakeRegistrar by) {
    try (PluginRegistrar client = PluginRegistrar.connect(CsiEndpoint.of(by.socket()), PATIENT)) {
      return client.info().name();
    }
  }

  @Test
  void aCallOfAStoppedRegistrarGoesNoFurtherAfterItsRestart() {
    VirtualClock clock = VirtualClock.create();
    registrar.close();
    registrar = FakeRegistrar.builder(directory).announce(EBS).clock(clock).open();
    Duration late = Duration.ofMinutes(1);
    for (Fault fault : List.of(Fault.hang(), Fault.delay(late))) {
      registrar.inject(RegistrationCall.NOTIFY_REGISTRATION_STATUS, fault);
      try (PluginRegistrar client = connect(PATIENT)) {
        int before = registrar.authorities().size();
        CompletionStage<Void> telling = client.async().tell(PluginRegistrar.Outcome.refused("no"));
        until(() -> registrar.authorities().size() > before);
        until(() -> fault.equals(Fault.hang()) || clock.pending() > 0);

        registrar.start();

        assertThatThrownBy(() -> telling.toCompletableFuture().join())
            .hasCauseInstanceOf(RegistrarException.class);
      }
      registrar.clearFaults();
      registrar.release();
      clock.advance(late);
      assertThat(announced(registrar)).isEqualTo(NAME.value());
      assertThat(registrar.told()).isEmpty();
      assertThat(registrar.listens()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = WrongAnswer.class,
      names = {"OTHER_ID", "LOOPING_PAGE"})
  void aWrongAnswerThatItCannotGiveIsRefusedAtOnce(WrongAnswer wrong) {
    Fault fault = Fault.delay(Duration.ofMillis(1)).then(Fault.answer(wrong));

    assertThatThrownBy(() -> registrar.inject(RegistrationCall.GET_INFO, fault))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "A registrar has no ids and no pages to answer wrongly. Choose another wrong answer.");
    assertThat(announced(registrar)).isEqualTo(NAME.value());
  }

  @Test
  void aFailureOfTheClockOfTheTestIsToldToTheCaller() {
    registrar.close();
    PluginClock broken =
        new PluginClock() {
          @Override
          public Instant now() {
            return Instant.EPOCH;
          }

          @Override
          public void after(Duration delay, Runnable work) {
            throw new IllegalStateException("oops");
          }
        };
    registrar = FakeRegistrar.builder(directory).announce(EBS).clock(broken).open();
    registrar.inject(RegistrationCall.GET_INFO, Fault.delay(Duration.ofMillis(1)));

    RegistrarException failure = infoFailure(PATIENT);
    assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
    assertThat(failure)
        .hasMessageContaining("The test registrar failed itself")
        .hasMessageContaining("oops");
  }

  @Test
  void closedByTwoThreadsItLeavesNeitherSocketNorThreadWhenEitherReturns() {
    CompletableFuture.anyOf(
            CompletableFuture.runAsync(registrar::close),
            CompletableFuture.runAsync(registrar::close))
        .join();

    assertThat(registrar.socket()).doesNotExist();
    assertThat(LifeTest.threads()).noneMatch(name -> name.contains("registrar"));
  }

  @Test
  void closedItIsNotStartedAgain() {
    registrar.close();
    assertThatThrownBy(registrar::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "Starting the registrar at '%s' failed: it is closed, and its socket is gone. Open"
                + " another one.",
            registrar.socket());
  }

  @Test
  void anOutcomeHasAReasonOrNone() {
    assertThatThrownBy(() -> new PluginRegistrar.Outcome(false, ""))
        .hasMessage("A plugin that is not registered needs a reason. Set the error.");
    assertThatThrownBy(() -> new PluginRegistrar.Outcome(true, "no"))
        .hasMessage("A registered plugin has no error. Leave the error empty.");
    assertThat(PluginRegistrar.Outcome.refused("a\nb").error()).isEqualTo("a\\nb");
  }
}
