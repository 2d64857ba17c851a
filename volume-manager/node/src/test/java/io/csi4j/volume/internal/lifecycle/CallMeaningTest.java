package io.csi4j.volume.internal.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiRequestException;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.lifecycle.CallMeaning.Belief;
import io.csi4j.volume.internal.lifecycle.CallMeaning.Remedy;
import io.csi4j.volume.internal.lifecycle.CallMeaning.Repeat;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the end of a call means for the next step, and how it is told: every code, each way. */
class CallMeaningTest {

  private static CsiFailure failed(StatusCode code, boolean sent) {
    return Walk.failure(code, sent ? 1 : 0, "so it is");
  }

  /** How a failure is told: of the calls in their order, where it was sent and where not. */
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          DEADLINE_EXCEEDED   | true SOON   | STAGE_IN_DOUBT PUBLISH_IN_DOUBT UNPUBLISH_IN_DOUBT UNSTAGE_IN_DOUBT
          CANCELLED           | true SOON   | STAGE_IN_DOUBT PUBLISH_IN_DOUBT UNPUBLISH_IN_DOUBT UNSTAGE_IN_DOUBT
          UNAVAILABLE         | true SOON   | STAGE_IN_DOUBT PUBLISH_IN_DOUBT UNPUBLISH_IN_DOUBT UNSTAGE_IN_DOUBT
          ABORTED             | true LATER  | STAGE_IN_DOUBT PUBLISH_IN_DOUBT UNPUBLISH_IN_DOUBT UNSTAGE_IN_DOUBT
          RESOURCE_EXHAUSTED  | false LATER | FAILED_IN_DOUBT FAILED_IN_DOUBT UNPUBLISH_IN_DOUBT UNSTAGE_IN_DOUBT
          NOT_FOUND           | false LATER | REFUSED_BY_PLUGIN REFUSED_BY_PLUGIN UNPUBLISH_IN_DOUBT UNSTAGE_IN_DOUBT
          INVALID_ARGUMENT    | false NEVER | REFUSED_BY_PLUGIN REFUSED_BY_PLUGIN CLEANUP_NEEDS_HELP CLEANUP_NEEDS_HELP
          ALREADY_EXISTS      | false NEVER | REFUSED_BY_PLUGIN REFUSED_BY_PLUGIN RELEASE_REFUSED RELEASE_REFUSED
          PERMISSION_DENIED   | false NEVER | REFUSED_BY_PLUGIN REFUSED_BY_PLUGIN RELEASE_REFUSED RELEASE_REFUSED
          FAILED_PRECONDITION | false NEVER | REFUSED_BY_PLUGIN REFUSED_BY_PLUGIN RELEASE_REFUSED RELEASE_REFUSED
          OUT_OF_RANGE        | false NEVER | REFUSED_BY_PLUGIN REFUSED_BY_PLUGIN RELEASE_REFUSED RELEASE_REFUSED
          UNIMPLEMENTED       | false NEVER | REFUSED_BY_PLUGIN REFUSED_BY_PLUGIN CLEANUP_NEEDS_HELP CAPABILITY_LOST
          UNAUTHENTICATED     | false NEVER | REFUSED_BY_PLUGIN REFUSED_BY_PLUGIN RELEASE_REFUSED RELEASE_REFUSED
          DATA_LOSS           | false NEVER | DATA_LOSS DATA_LOSS DATA_LOSS DATA_LOSS
          OK                  | false SOON  | FAILED_IN_DOUBT FAILED_IN_DOUBT UNPUBLISH_IN_DOUBT UNSTAGE_IN_DOUBT
          UNKNOWN             | false SOON  | FAILED_IN_DOUBT FAILED_IN_DOUBT UNPUBLISH_IN_DOUBT UNSTAGE_IN_DOUBT
          INTERNAL            | false SOON  | FAILED_IN_DOUBT FAILED_IN_DOUBT UNPUBLISH_IN_DOUBT UNSTAGE_IN_DOUBT
          """)
  void anAnswerHasAMeaningAndACodeForEachCall(StatusCode code, String next, String codes) {
    assertThat(next(failed(code, true))).isEqualTo(next);
    assertThat(codes(failed(code, true))).isEqualTo(codes);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          UNAVAILABLE         | false SOON  | PLUGIN_NOT_UP PLUGIN_NOT_UP PLUGIN_NOT_UP PLUGIN_NOT_UP
          ABORTED             | false SOON  | PLUGIN_NOT_UP PLUGIN_NOT_UP PLUGIN_NOT_UP PLUGIN_NOT_UP
          NOT_FOUND           | false SOON  | PLUGIN_NOT_UP PLUGIN_NOT_UP PLUGIN_NOT_UP PLUGIN_NOT_UP
          INTERNAL            | false SOON  | PLUGIN_NOT_UP PLUGIN_NOT_UP PLUGIN_NOT_UP PLUGIN_NOT_UP
          INVALID_ARGUMENT    | false NEVER | NOT_ALLOWED_HERE NOT_ALLOWED_HERE RELEASE_NOT_SENT RELEASE_NOT_SENT
          PERMISSION_DENIED   | false NEVER | NOT_ALLOWED_HERE NOT_ALLOWED_HERE RELEASE_NOT_SENT RELEASE_NOT_SENT
          UNIMPLEMENTED       | false NEVER | NOT_ALLOWED_HERE NOT_ALLOWED_HERE RELEASE_NOT_SENT CAPABILITY_LOST
          UNAUTHENTICATED     | false NEVER | SECRETS_UNAVAILABLE SECRETS_UNAVAILABLE SECRETS_UNAVAILABLE SECRETS_UNAVAILABLE
          """)
  void aCallThatNeverLeftIsToldOtherwise(StatusCode code, String next, String codes) {
    assertThat(next(failed(code, false))).isEqualTo(next);
    assertThat(codes(failed(code, false))).isEqualTo(codes);
  }

  /** Whether the plugin may go on, and when the call is made again. */
  private static String next(CsiFailure failed) {
    CallMeaning meaning = CallMeaning.of(Answer.failed(failed));
    return meaning.goesOn() + " " + meaning.repeat();
  }

  private static String codes(CsiFailure failed) {
    List<OperatorCode> codes =
        Arrays.stream(Verb.values())
            .map(verb -> CallMeaning.failure(turn(), verb, Answer.failed(failed)).code())
            .toList();
    return codes.toString().replaceAll("[\\[\\],]", "");
  }

  private static Turn turn() {
    return Turn.of(Walk.publish(Walk.A), Walk.fromNothing().record());
  }

  @Test
  void aCallThatThePluginDoesNotOfferIsToldApartFromOneThatIsForbidden() {
    CsiException missing = new CsiUnsupportedException(unsent(), Optional.of("it"), null);
    CsiException forbidden = new CsiRequestException(unsent(), List.of(), null);

    assertThat(notSent(missing).code()).isEqualTo(OperatorCode.NOT_OFFERED);
    assertThat(notSent(missing).cause()).contains(missing);
    assertThat(notSent(forbidden).code()).isEqualTo(OperatorCode.NOT_ALLOWED_HERE);
  }

  private static CsiFailure unsent() {
    return CsiFailure.builder(
            CsiEndpoint.of(Path.of("/run/csi.sock")), StatusCode.UNIMPLEMENTED, Outcome.SETTLED)
        .operation(Verb.STAGE.operation())
        .build();
  }

  private static Failure notSent(CsiException cause) {
    return CallMeaning.failure(turn(), Verb.STAGE, Answer.failed(cause));
  }

  @Test
  void aFailureSaysWhetherTheCallWasSentAndWhetherItHadBeenSentBefore() {
    assertThat(seen(turn(), StatusCode.INTERNAL, true))
        .isEqualTo("NodeStageVolume ended with INTERNAL: so it is");
    assertThat(seen(turn(), StatusCode.UNAVAILABLE, false))
        .isEqualTo("NodeStageVolume was not sent, UNAVAILABLE: so it is");
    assertThat(seen(turn().reached(Verb.STAGE), StatusCode.UNAVAILABLE, false))
        .isEqualTo(
            "NodeStageVolume was sent before, and could not be sent again, UNAVAILABLE: so it is");
    assertThat(seen(turn().reached(Verb.PUBLISH), StatusCode.UNAVAILABLE, false))
        .isEqualTo("NodeStageVolume was not sent, UNAVAILABLE: so it is");
  }

  private static String seen(Turn turn, StatusCode code, boolean sent) {
    return CallMeaning.failure(turn, Verb.STAGE, Answer.failed(failed(code, sent))).seen();
  }

  @Test
  void thePluginMayGoOnWithWhatHasNoAnswerOrWasAborted() {
    assertThat(Arrays.stream(StatusCode.values()).filter(code -> mayGoOn(code, true)).toList())
        .containsExactlyInAnyOrder(
            StatusCode.DEADLINE_EXCEEDED,
            StatusCode.CANCELLED,
            StatusCode.UNAVAILABLE,
            StatusCode.ABORTED);
    assertThat(Arrays.stream(StatusCode.values()).filter(code -> mayGoOn(code, false))).isEmpty();
  }

  private static boolean mayGoOn(StatusCode code, boolean sent) {
    return CallMeaning.of(Answer.failed(failed(code, sent))).goesOn();
  }

  @Test
  void onlyAnAnswerThatKeepsAReleaseFromEverEndingCountsAsARefusalOfIt() {
    assertThat(
            Arrays.stream(StatusCode.values())
                .filter(code -> belief(code, true) == Belief.IN_THE_END)
                .toList())
        .containsExactlyInAnyOrder(
            StatusCode.OK,
            StatusCode.UNKNOWN,
            StatusCode.INTERNAL,
            StatusCode.FAILED_PRECONDITION,
            StatusCode.OUT_OF_RANGE,
            StatusCode.ALREADY_EXISTS);
    assertThat(belief(StatusCode.INTERNAL, false)).isEqualTo(Belief.NEVER);
  }

  @Test
  void onlyAVolumeThatThePluginDoesNotKnowIsReleasedAtTheFirstLook() {
    assertThat(
            Arrays.stream(StatusCode.values())
                .filter(code -> belief(code, true) == Belief.AT_ONCE)
                .toList())
        .containsExactly(StatusCode.NOT_FOUND);
    assertThat(belief(StatusCode.NOT_FOUND, false)).isEqualTo(Belief.NEVER);
  }

  private static Belief belief(StatusCode code, boolean sent) {
    return CallMeaning.of(Answer.failed(failed(code, sent))).belief();
  }

  @Test
  void whatComesBeforeAnotherCallFollowsFromTheStatusOfOneThatWasSent() {
    assertThat(remedy(StatusCode.FAILED_PRECONDITION)).isEqualTo(Remedy.STAGE_AGAIN);
    assertThat(remedy(StatusCode.UNIMPLEMENTED)).isEqualTo(Remedy.ASK_AGAIN);
    assertThat(remedy(StatusCode.NOT_FOUND)).isEqualTo(Remedy.LOOK_UP);
    assertThat(CallMeaning.table().values().stream().filter(row -> row.remedy() != Remedy.NONE))
        .hasSize(3);
  }

  private static Remedy remedy(StatusCode code) {
    return CallMeaning.of(Answer.failed(failed(code, true))).remedy();
  }

  @Test
  void okThatCannotBeUsedAndNoAnswerAreReportedAsWhatTheyMean() {
    assertThat(status(StatusCode.OK, true)).isEqualTo(StatusCode.INTERNAL);
    assertThat(status(StatusCode.OK, false)).isEqualTo(StatusCode.INTERNAL);
    assertThat(status(StatusCode.UNKNOWN, true)).isEqualTo(StatusCode.UNKNOWN);
    assertThat(status(StatusCode.UNKNOWN, false)).isEqualTo(StatusCode.UNAVAILABLE);
    CsiFailure lost = failed(StatusCode.UNKNOWN, true).toBuilder().answered(false).build();
    assertThat(CallMeaning.status(Answer.failed(lost))).isEqualTo(StatusCode.UNAVAILABLE);
    assertThat(next(lost)).isEqualTo("true SOON");
    CsiFailure said = lost.toBuilder().pluginText("no").build();
    assertThat(CallMeaning.status(Answer.failed(said))).isEqualTo(StatusCode.UNKNOWN);
    assertThat(CallMeaning.status(Answer.ok())).isEqualTo(StatusCode.OK);
  }

  private static StatusCode status(StatusCode code, boolean sent) {
    return CallMeaning.status(Answer.failed(failed(code, sent)));
  }

  @Test
  void pausesDoubleUpToTheCapAndAreDrawnEvenly() {
    MountPolicy policy =
        MountPolicy.builder()
            .backoff(Duration.ofMillis(100))
            .backoffCap(Duration.ofMillis(1500))
            .build();

    assertThat(pauses(Repeat.SOON, policy, 1))
        .containsExactly(100L, 200L, 400L, 800L, 1500L, 1500L);
    assertThat(pauses(Repeat.SOON, policy, 0.5)).containsExactly(50L, 100L, 200L, 400L, 750L, 750L);
    assertThat(pauses(Repeat.LATER, policy, 1))
        .as("ten times as long")
        .containsExactly(1000L, 1500L, 1500L, 1500L, 1500L, 1500L);
    assertThat(pauses(Repeat.SOON, policy, 0)).containsOnly(0L);
  }

  @Test
  void pausesThatNoNumberHoldsAreTheLongestThereAre() {
    Duration longest = Duration.ofNanos(Long.MAX_VALUE);
    Duration half = Duration.ofNanos(Long.MAX_VALUE / 2 + 1);
    MountPolicy policy = MountPolicy.builder().backoff(half).backoffCap(longest).build();

    assertThat(Repeat.LATER.pause(policy, 1, 1)).isEqualTo(longest);
    assertThat(Repeat.SOON.pause(policy, 2, 1)).isEqualTo(longest);
  }

  private static List<Long> pauses(Repeat kind, MountPolicy policy, double random) {
    return IntStream.rangeClosed(1, 6)
        .mapToObj(tries -> kind.pause(policy, tries, random).toMillis())
        .toList();
  }

  @Test
  void aCallThatKeepsItsOppositeWaitingIsNamed() {
    assertThat(CallMeaning.quarantined(Verb.STAGE))
        .isEqualTo(
            Failure.of(
                OperatorCode.STAGE_IN_DOUBT,
                "the plugin may still be working on an earlier NodeStageVolume, which the opposite"
                    + " call must not overtake"));
    assertThat(CallMeaning.quarantined(Verb.PUBLISH).code())
        .isEqualTo(OperatorCode.PUBLISH_IN_DOUBT);
  }
}
