package io.csi4j.testkit;

import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME;
import static io.csi4j.client.model.CsiOperation.GET_PLUGIN_INFO;
import static io.csi4j.client.model.CsiOperation.LIST_VOLUMES;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.client.model.CsiOperation.PROBE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.InvalidProtocolBufferException;
import io.csi4j.client.CsiPlugin;
import io.csi4j.client.identity.IdentityService.Readiness;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.GetPluginInfoRequest;
import io.csi4j.client.internal.proto.GetPluginInfoResponse;
import io.csi4j.client.internal.proto.ListVolumesRequest;
import io.csi4j.client.internal.proto.ListVolumesResponse;
import io.csi4j.client.internal.proto.ProbeResponse;
import io.csi4j.client.model.CsiAnswerException;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.RawCaller.Ended;
import io.csi4j.testkit.RawCaller.Pending;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.Fault.WrongAnswer;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.FaultScript;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.VirtualClock;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong when it is told to, as a caller on the socket sees it. */
class FaultTest {

  private static final Duration SOON = Duration.ofSeconds(20);

  private final VirtualClock clock = VirtualClock.create();
  private FakeCsiPlugin plugin;
  private RawCaller caller;

  @BeforeEach
  void open() {
    plugin = FakeCsiPlugin.builder().clock(clock).open();
    caller = new RawCaller(plugin.endpoint());
  }

  @AfterEach
  void close() {
    caller.close();
    plugin.close();
  }

  private Ended create(String name) {
    return caller.call(CREATE_VOLUME, Requests.create(name));
  }

  private RecordedCall last() {
    List<RecordedCall> calls = plugin.journal().calls();
    return calls.get(calls.size() - 1);
  }

  private void awaitWork(long number) {
    plugin.journal().await(call -> call.number() == number && call.worked(), SOON);
  }

  @ParameterizedTest
  @EnumSource(
      value = StatusCode.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"OK"})
  void aFailureIsToldWithItsCodeAndItsTextAndNothingIsDone(StatusCode code) {
    plugin.inject(Fault.fail(code, "100%25 böse\n"), When.calling(CREATE_VOLUME));

    Ended end = create("a");

    assertThat(end.code().value()).isEqualTo(code.value());
    assertThat(end.status().getDescription()).isEqualTo("100%25 böse\n");
    assertThat(end.messages()).isEmpty();
    assertThat(plugin.contents().volumes()).isEmpty();
    assertThat(last().end()).contains(new CallEnd.Failed(code.value(), "100%25 böse\n"));
    assertThat(last().worked()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {17, -1, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void aFailureCanHaveANumberThatIsNoCode(int code) {
    plugin.inject(Fault.fail(code, ""), When.anyCall());

    assertThat(caller.call(PROBE, Requests.probe()).code()).isEqualTo(Status.Code.UNKNOWN);
    try (PlainSocketCaller plain = new PlainSocketCaller(plugin.endpoint().path())) {
      assertThat(plain.status("/" + PROBE.fullName(), Requests.probe())).isEqualTo(code);
    }
    assertThat(last().end()).contains(new CallEnd.Failed(code, ""));
  }

  @Test
  void aDuplicateDoesTheWorkTwoTimesAndAnswersOnce() {
    var unused = plugin.inject(Fault.duplicate(), When.calling(CREATE_VOLUME));

    Ended ended = caller.call(CREATE_VOLUME, Requests.create("v"));

    assertThat(ended.code()).isEqualTo(Status.Code.OK);
    assertThat(ended.messages()).hasSize(1);
    assertThat(plugin.contents().volumes()).hasSize(1);
    assertThat(
            plugin.journal().events().stream()
                .filter(JournalEvent.Worked.class::isInstance)
                .count())
        .isEqualTo(2);
  }

  @Test
  void theTypedClientMeetsANumberThatIsNoCodeAsUnknown() {
    try (CsiPlugin client = CsiPlugin.connect(plugin.endpoint())) {
      plugin.inject(Fault.fail(17, ""), When.calling(PROBE));

      assertThatThrownBy(() -> client.identity().with(p -> p.attempts(1)).probe())
          .hasMessageContaining("UNKNOWN");
    }
  }

  @Test
  void applyThenFailDoesTheWorkAndDeniesIt() {
    plugin.inject(
        Fault.applyThenFail(StatusCode.ABORTED, "busy"), When.calling(CREATE_VOLUME).once());

    assertThat(create("a").code()).isEqualTo(Status.Code.ABORTED);

    assertThat(plugin.contents().volumes()).hasSize(1);
    assertThat(last().worked()).isTrue();
    assertThat(create("a").code()).isEqualTo(Status.Code.OK);
    assertThat(plugin.contents().volumes()).hasSize(1);
  }

  @Test
  void applyThenHangDoesTheWorkAndTheAnswerIsLost() {
    plugin.inject(Fault.applyThenHang(), When.calling(CREATE_VOLUME).once());
    Pending call = caller.begin(CREATE_VOLUME, Requests.create("a"));
    awaitWork(1);
    assertThat(plugin.contents().volumes()).hasSize(1);
    assertThat(call.end()).isNotDone();

    call.cancel();

    plugin.journal().await(c -> c.end().filter(new CallEnd.Abandoned()::equals).isPresent(), SOON);
  }

  @Test
  void applyThenDropDoesTheWorkAndBreaksTheConnection() {
    plugin.inject(Fault.applyThenDrop(), When.calling(CREATE_VOLUME).once());

    assertThat(create("a").code()).isEqualTo(Status.Code.UNAVAILABLE);

    assertThat(plugin.contents().volumes()).hasSize(1);
    assertThat(last().end()).contains(new CallEnd.Broken());
    assertThat(last().worked()).isTrue();
    assertThat(create("a").code()).isEqualTo(Status.Code.OK);
  }

  @Test
  void dropBreaksEveryCallOfItsConnectionAndNoOther() {
    plugin.inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME));
    plugin.inject(Fault.drop(), When.calling(CREATE_VOLUME));
    try (RawCaller other = new RawCaller(plugin.endpoint())) {
      Pending beside = caller.begin(NODE_STAGE_VOLUME, Requests.stage("v", "/nowhere/a"));
      Pending elsewhere = other.begin(NODE_STAGE_VOLUME, Requests.stage("v", "/nowhere/b"));
      plugin.journal().await(call -> call.number() == 2, SOON);

      assertThat(create("a").code()).isEqualTo(Status.Code.UNAVAILABLE);

      assertThat(beside.ended().code()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(elsewhere.end()).isNotDone();
      assertThat(plugin.contents().volumes()).isEmpty();
      assertThat(plugin.journal().inFlight())
          .singleElement()
          .satisfies(call -> assertThat(call.request().text("staging_target_path")).endsWith("b"));
      assertThat(plugin.journal().calls().stream().filter(c -> c.end().isPresent()))
          .allSatisfy(call -> assertThat(call.end()).contains(new CallEnd.Broken()));
      elsewhere.cancel();
    }
  }

  @Test
  void hangHoldsACallUntilItIsReleasedAndThenItsWorkIsDoneAndAnswered() {
    plugin.inject(Fault.hang(), When.calling(CREATE_VOLUME));
    Pending call = caller.begin(CREATE_VOLUME, Requests.create("a"));
    plugin.journal().await(c -> c.number() == 1, SOON);
    plugin.clearFaults();
    // Another call overtakes it, which shows that it is held by nothing else.
    assertThat(caller.call(PROBE, Requests.probe()).code()).isEqualTo(Status.Code.OK);
    assertThat(call.end()).isNotDone();
    assertThat(plugin.contents().volumes()).isEmpty();

    plugin.release();

    assertThat(call.ended().code()).isEqualTo(Status.Code.OK);
    assertThat(plugin.contents().volumes()).hasSize(1);
  }

  @Test
  void aHangingCallThatWasGivenUpIsWorkedOnWhenItIsReleased() {
    plugin.inject(Fault.hang(), When.calling(CREATE_VOLUME));
    Pending call = caller.begin(CREATE_VOLUME, Requests.create("a"));
    plugin.journal().await(c -> c.number() == 1, SOON);
    call.cancel();
    plugin.journal().await(c -> c.end().isPresent(), SOON);

    plugin.release();

    awaitWork(1);
    assertThat(plugin.contents().volumes()).hasSize(1);
    assertThat(last().end()).contains(new CallEnd.Abandoned());
    assertThat(plugin.journal().events())
        .extracting(Object::getClass)
        .containsExactly(
            JournalEvent.Started.class,
            JournalEvent.Began.class,
            JournalEvent.Ended.class,
            JournalEvent.Worked.class);
  }

  @Test
  void aDelayPassesOnTheClockOfThePlugin() {
    plugin.inject(Fault.delay(Duration.ofMinutes(5)), When.calling(CREATE_VOLUME));
    Pending call = caller.begin(CREATE_VOLUME, Requests.create("a"));
    awaitPending(1);

    clock.advance(Duration.ofMinutes(5).minusNanos(1));
    assertThat(plugin.contents().volumes()).isEmpty();
    clock.advance(Duration.ofNanos(1));

    assertThat(plugin.contents().volumes()).hasSize(1);
    assertThat(call.ended().code()).isEqualTo(Status.Code.OK);
    assertThat(Duration.between(last().began(), last().ended().orElseThrow())).hasMinutes(5);
  }

  @Test
  void applyLaterDoesTheWorkOnTheClockOfThePluginWhateverWasAnswered() {
    plugin.inject(
        Fault.applyLater(Duration.ofHours(1)).then(Fault.fail(StatusCode.DEADLINE_EXCEEDED, "")),
        When.calling(CREATE_VOLUME));

    assertThat(create("a").code()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    assertThat(plugin.contents().volumes()).isEmpty();

    clock.advance(Duration.ofHours(1));

    assertThat(plugin.contents().volumes()).hasSize(1);
    assertThat(last().worked()).isTrue();
    List<JournalEvent> events = plugin.journal().events();
    assertThat(events.get(events.size() - 1))
        .isInstanceOfSatisfying(
            JournalEvent.Worked.class,
            worked -> {
              assertThat(worked.at()).isEqualTo(clock.now());
              assertThat(worked.call().end())
                  .contains(new CallEnd.Failed(StatusCode.DEADLINE_EXCEEDED.value(), ""));
            });
  }

  @Test
  void timeIsRealUnlessAClockIsGiven() {
    try (FakeCsiPlugin real = FakeCsiPlugin.open();
        RawCaller other = new RawCaller(real.endpoint())) {
      real.inject(
          Fault.delay(Duration.ofMillis(1))
              .then(Fault.applyLater(Duration.ofMillis(1)))
              .then(Fault.fail(StatusCode.ABORTED, "")),
          When.calling(CREATE_VOLUME));

      assertThat(other.call(CREATE_VOLUME, Requests.create("a")).code())
          .isEqualTo(Status.Code.ABORTED);

      real.journal().await(RecordedCall::worked, SOON);
      assertThat(real.contents().volumes()).hasSize(1);
    }
  }

  @Test
  void stepsAreTakenInTheirOrder() {
    plugin.inject(
        Fault.delay(Duration.ofSeconds(1))
            .then(Fault.apply().then(Fault.delay(Duration.ofSeconds(2))))
            .then(Fault.fail(StatusCode.INTERNAL, "late")),
        When.calling(CREATE_VOLUME));
    Pending call = caller.begin(CREATE_VOLUME, Requests.create("a"));
    awaitPending(1);
    assertThat(last().worked()).isFalse();

    clock.advance(Duration.ofSeconds(1));
    assertThat(last().worked()).isTrue();
    assertThat(last().end()).isEmpty();
    clock.advance(Duration.ofSeconds(2));

    assertThat(call.ended().code()).isEqualTo(Status.Code.INTERNAL);
    assertThat(Duration.between(last().began(), last().ended().orElseThrow())).hasSeconds(3);
  }

  @Test
  void theWorkIsDoneOnceHoweverOftenItIsAskedFor() {
    plugin.inject(
        Fault.apply().then(Fault.applyLater(Duration.ofSeconds(1))).then(Fault.apply()),
        When.calling(CREATE_VOLUME));

    assertThat(create("a").code()).isEqualTo(Status.Code.OK);
    clock.advance(Duration.ofSeconds(1));

    assertThat(plugin.journal().events())
        .filteredOn(JournalEvent.Worked.class::isInstance)
        .hasSize(1);
  }

  private void awaitPending(int count) {
    long end = System.nanoTime() + SOON.toNanos();
    while (clock.pending() < count && System.nanoTime() < end) {
      LockSupport.parkNanos(100_000);
    }
    assertThat(clock.pending()).isEqualTo(count);
  }

  // Which calls

  @Test
  void ofSeveralRulesTheFirstActsAndTheNextWhenThatIsSpent() {
    FaultRule first = plugin.inject(Fault.fail(StatusCode.ABORTED, ""), When.calling(PROBE).once());
    FaultRule second =
        plugin.inject(Fault.fail(StatusCode.INTERNAL, ""), When.calling(PROBE).times(2));

    assertThat(probes(4))
        .containsExactly(
            Status.Code.ABORTED, Status.Code.INTERNAL, Status.Code.INTERNAL, Status.Code.OK);
    assertThat(first.hits()).isEqualTo(1);
    assertThat(second.hits()).isEqualTo(2);
  }

  @Test
  void theNthCallIsMeantAndNoOther() {
    plugin.inject(Fault.fail(StatusCode.INTERNAL, ""), When.calling(PROBE).nth(3));

    assertThat(probes(4))
        .containsExactly(Status.Code.OK, Status.Code.OK, Status.Code.INTERNAL, Status.Code.OK);
  }

  @Test
  void theNthCallStaysTheNthIfAnotherRuleActsOnIt() {
    FaultRule first =
        plugin.inject(Fault.fail(StatusCode.ABORTED, ""), When.calling(PROBE).times(2));
    FaultRule taken =
        plugin.inject(Fault.fail(StatusCode.INTERNAL, ""), When.calling(PROBE).nth(2));
    FaultScript.parse("s", List.of("Probe nth=1: fail DATA_LOSS", "Probe nth=4: fail UNKNOWN"))
        .rules()
        .forEach(rule -> plugin.inject(rule.fault(), rule.when()));

    assertThat(probes(5))
        .containsExactly(
            Status.Code.ABORTED,
            Status.Code.ABORTED,
            Status.Code.OK,
            Status.Code.UNKNOWN,
            Status.Code.OK);
    assertThat(first.hits()).isEqualTo(2);
    assertThat(taken.hits()).isZero();
    assertThat(taken).asString().contains("[PROBE], number 2, acted 0 time(s)");
  }

  @Test
  void callsThatDoNotFitAreNotCounted() {
    FaultRule rule =
        plugin.inject(
            Fault.fail(StatusCode.INTERNAL, ""),
            When.calling(CREATE_VOLUME)
                .where(call -> call.request().text("name").startsWith("b"))
                .nth(2));

    assertThat(
            List.of("a", "b1", "a2", "b2", "b3").stream().map(name -> create(name).code()).toList())
        .containsExactly(
            Status.Code.OK, Status.Code.OK, Status.Code.OK, Status.Code.INTERNAL, Status.Code.OK);
    assertThat(rule.hits()).isEqualTo(1);
  }

  @Test
  void oneVolumeIsMeantAndNoOther() {
    plugin.inject(Fault.fail(StatusCode.INTERNAL, ""), When.anyCall().ofVolume(VolumeId.of("bad")));

    assertThat(caller.call(NODE_STAGE_VOLUME, Requests.stage("bad", "/x")).code())
        .isEqualTo(Status.Code.INTERNAL);
    assertThat(caller.call(NODE_STAGE_VOLUME, Requests.stage("good", "/x")).code())
        .isEqualTo(Status.Code.NOT_FOUND);
    assertThat(caller.call(PROBE, Requests.probe()).code()).isEqualTo(Status.Code.OK);
  }

  @Test
  void aRuleThatIsClosedActsNoMore() {
    FaultRule closed = plugin.inject(Fault.fail(StatusCode.INTERNAL, ""), When.anyCall());
    plugin.inject(Fault.fail(StatusCode.ABORTED, ""), When.anyCall());

    closed.close();
    assertThat(probes(1)).containsExactly(Status.Code.ABORTED);
    plugin.clearFaults();
    assertThat(probes(1)).containsExactly(Status.Code.OK);
  }

  @Test
  void aConditionThatThrowsFailsTheCallAndSaysSo() {
    plugin.inject(
        Fault.hang(),
        When.anyCall()
            .where(
                call -> {
                  throw new IllegalStateException("oops");
                }));

    Ended end = caller.call(PROBE, Requests.probe());

    assertThat(end.code()).isEqualTo(Status.Code.INTERNAL);
    assertThat(end.status().getDescription()).contains("condition of a fault").contains("oops");
  }

  private List<Status.Code> probes(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> caller.call(PROBE, Requests.probe()).code())
        .toList();
  }

  // Wrong answers

  @Test
  void emptyIsAMessageWithoutAnything() {
    plugin.inject(Fault.answer(WrongAnswer.EMPTY), When.calling(CREATE_VOLUME));

    assertThat(create("a").messages()).singleElement().isEqualTo(new byte[0]);
    assertThat(plugin.contents().volumes()).hasSize(1);
  }

  @Test
  void otherIdIsALawfulAnswerAboutSomethingElse() throws InvalidProtocolBufferException {
    plugin.inject(Fault.answer(WrongAnswer.OTHER_ID), When.anyCall());

    String told =
        CreateVolumeResponse.parseFrom(create("a").messages().get(0)).getVolume().getVolumeId();
    assertThat(plugin.contents().volumes()).hasSize(1).doesNotContain(VolumeId.of(told));
    assertThat(told).isNotEmpty();
    assertThat(
            GetPluginInfoResponse.parseFrom(
                    caller
                        .call(GET_PLUGIN_INFO, GetPluginInfoRequest.getDefaultInstance())
                        .messages()
                        .get(0))
                .getName())
        .isNotEqualTo(plugin.shape().name().value())
        .isNotEmpty();
  }

  @Test
  void oversizedIsMoreThanClientsTakeAndYetLawful() throws InvalidProtocolBufferException {
    plugin.inject(Fault.answer(WrongAnswer.OVERSIZED), When.calling(PROBE));

    assertThat(caller.call(PROBE, Requests.probe()).code())
        .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(last().answer().orElseThrow().flag("ready")).isTrue();
    plugin.clearFaults();
    assertThat(
            ProbeResponse.parseFrom(caller.call(PROBE, Requests.probe()).messages().get(0))
                .getReady()
                .getValue())
        .isTrue();
  }

  @Test
  void malformedIsNoMessage() {
    plugin.inject(Fault.answer(WrongAnswer.MALFORMED), When.calling(PROBE));

    byte[] answer = caller.call(PROBE, Requests.probe()).messages().get(0);

    assertThatThrownBy(() -> ProbeResponse.parseFrom(answer))
        .isInstanceOf(InvalidProtocolBufferException.class);
  }

  @Test
  void aLoopingPageNamesTheSameTokenForEver() throws InvalidProtocolBufferException {
    create("a");
    create("b");
    plugin.inject(Fault.answer(WrongAnswer.LOOPING_PAGE), When.calling(LIST_VOLUMES));
    String token = "";
    for (int i = 0; i < 5; i++) {
      Ended end =
          caller.call(
              LIST_VOLUMES,
              ListVolumesRequest.newBuilder().setStartingToken(token).setMaxEntries(1).build());
      ListVolumesResponse page = ListVolumesResponse.parseFrom(end.messages().get(0));
      assertThat(page.getEntriesList()).hasSize(1);
      assertThat(page.getNextToken()).isNotEmpty();
      assertThat(token).isIn("", page.getNextToken());
      token = page.getNextToken();
    }
  }

  @Test
  void noMessageAndTwoMessagesAreAnsweredWithOk() {
    plugin.inject(Fault.answer(WrongAnswer.NO_MESSAGE), When.calling(PROBE).once());
    plugin.inject(Fault.answer(WrongAnswer.TWO_MESSAGES), When.calling(PROBE).once());

    Ended none = caller.call(PROBE, Requests.probe());
    Ended two = caller.call(PROBE, Requests.probe());

    assertThat(none.code()).isEqualTo(Status.Code.OK);
    assertThat(none.messages()).isEmpty();
    assertThat(two.code()).isEqualTo(Status.Code.OK);
    assertThat(two.messages()).hasSize(2);
    assertThat(plugin.journal().calls())
        .extracting(call -> ((CallEnd.Answered) call.end().orElseThrow()).messages().size())
        .containsExactly(0, 2);
  }

  @Test
  void aRefusalIsNotMadeAWrongAnswer() {
    plugin.inject(Fault.answer(WrongAnswer.EMPTY), When.anyCall());

    assertThat(caller.call(NODE_STAGE_VOLUME, Requests.stage("none", "/x")).code())
        .isEqualTo(Status.Code.NOT_FOUND);
  }

  @ParameterizedTest
  @EnumSource(
      value = WrongAnswer.class,
      names = {"OVERSIZED", "MALFORMED", "NO_MESSAGE", "TWO_MESSAGES"})
  void theTypedClientTakesNoWrongAnswerAndGoesOn(WrongAnswer wrong) {
    try (CsiPlugin client = CsiPlugin.connect(plugin.endpoint())) {
      plugin.inject(Fault.answer(wrong), When.calling(PROBE).once());

      assertThatThrownBy(() -> client.identity().with(p -> p.attempts(1)).probe())
          .isInstanceOfAny(CsiAnswerException.class, CsiTransientException.class);
      assertThat(client.identity().probe()).isEqualTo(Readiness.READY);
    }
  }
}
