package io.csi4j.volume.internal.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiRequestException;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
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
class AnswerClassTest {

  private static CsiFailure failed(StatusCode code, boolean sent) {
    return Walk.failure(code, sent ? 1 : 0, "so it is");
  }

  /** How a failure is told: of the calls in their order, where it was sent and where not. */
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          DEADLINE_EXCEEDED   | GOING_ON  | STAGE_IN_DOUBT PUBLISH_IN_DOUBT UNPUBLISH_IN_DOUBT UNSTAGE_IN_DOUBT
          CANCELLED           | GOING_ON  | STAGE_IN_DOUBT PUBLISH_IN_DOUBT UNPUBLISH_IN_DOUBT UNSTAGE_IN_DOUBT
          UNAVAILABLE         | GOING_ON  | STAGE_IN_DOUBT PUBLISH_IN_DOUBT UNPUBLISH_IN_DOUBT UNSTAGE_IN_DOUBT
          ABORTED             | PENDING   | STAGE_IN_DOUBT PUBLISH_IN_DOUBT UNPUBLISH_IN_DOUBT UNSTAGE_IN_DOUBT
          RESOURCE_EXHAUSTED  | LATER     | FAILED_IN_DOUBT FAILED_IN_DOUBT UNPUBLISH_IN_DOUBT UNSTAGE_IN_DOUBT
          NOT_FOUND           | LATER     | REFUSED_BY_PLUGIN REFUSED_BY_PLUGIN UNPUBLISH_IN_DOUBT UNSTAGE_IN_DOUBT
          INVALID_ARGUMENT    | REFUSED   | REFUSED_BY_PLUGIN REFUSED_BY_PLUGIN CLEANUP_NEEDS_HELP CLEANUP_NEEDS_HELP
          ALREADY_EXISTS      | REFUSED   | REFUSED_BY_PLUGIN REFUSED_BY_PLUGIN RELEASE_REFUSED RELEASE_REFUSED
          PERMISSION_DENIED   | REFUSED   | REFUSED_BY_PLUGIN REFUSED_BY_PLUGIN RELEASE_REFUSED RELEASE_REFUSED
          FAILED_PRECONDITION | REFUSED   | REFUSED_BY_PLUGIN REFUSED_BY_PLUGIN RELEASE_REFUSED RELEASE_REFUSED
          OUT_OF_RANGE        | REFUSED   | REFUSED_BY_PLUGIN REFUSED_BY_PLUGIN RELEASE_REFUSED RELEASE_REFUSED
          UNIMPLEMENTED       | REFUSED   | REFUSED_BY_PLUGIN REFUSED_BY_PLUGIN CLEANUP_NEEDS_HELP CAPABILITY_LOST
          UNAUTHENTICATED     | REFUSED   | REFUSED_BY_PLUGIN REFUSED_BY_PLUGIN RELEASE_REFUSED RELEASE_REFUSED
          DATA_LOSS           | REFUSED   | DATA_LOSS DATA_LOSS DATA_LOSS DATA_LOSS
          OK                  | IN_DOUBT  | FAILED_IN_DOUBT FAILED_IN_DOUBT UNPUBLISH_IN_DOUBT UNSTAGE_IN_DOUBT
          UNKNOWN             | IN_DOUBT  | FAILED_IN_DOUBT FAILED_IN_DOUBT UNPUBLISH_IN_DOUBT UNSTAGE_IN_DOUBT
          INTERNAL            | IN_DOUBT  | FAILED_IN_DOUBT FAILED_IN_DOUBT UNPUBLISH_IN_DOUBT UNSTAGE_IN_DOUBT
          """)
  void anAnswerHasAMeaningAndACodeForEachCall(StatusCode code, AnswerClass kind, String codes) {
    assertThat(AnswerClass.of(failed(code, true))).isEqualTo(kind);
    assertThat(codes(failed(code, true))).isEqualTo(codes);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          UNAVAILABLE         | NOT_SENT | PLUGIN_NOT_UP PLUGIN_NOT_UP PLUGIN_NOT_UP PLUGIN_NOT_UP
          ABORTED             | NOT_SENT | PLUGIN_NOT_UP PLUGIN_NOT_UP PLUGIN_NOT_UP PLUGIN_NOT_UP
          NOT_FOUND           | NOT_SENT | PLUGIN_NOT_UP PLUGIN_NOT_UP PLUGIN_NOT_UP PLUGIN_NOT_UP
          INTERNAL            | NOT_SENT | PLUGIN_NOT_UP PLUGIN_NOT_UP PLUGIN_NOT_UP PLUGIN_NOT_UP
          INVALID_ARGUMENT    | REFUSED  | NOT_ALLOWED_HERE NOT_ALLOWED_HERE RELEASE_NOT_SENT RELEASE_NOT_SENT
          PERMISSION_DENIED   | REFUSED  | NOT_ALLOWED_HERE NOT_ALLOWED_HERE RELEASE_NOT_SENT RELEASE_NOT_SENT
          UNIMPLEMENTED       | REFUSED  | NOT_ALLOWED_HERE NOT_ALLOWED_HERE RELEASE_NOT_SENT CAPABILITY_LOST
          UNAUTHENTICATED     | REFUSED  | SECRETS_UNAVAILABLE SECRETS_UNAVAILABLE SECRETS_UNAVAILABLE SECRETS_UNAVAILABLE
          """)
  void aCallThatNeverLeftIsToldOtherwise(StatusCode code, AnswerClass kind, String codes) {
    assertThat(AnswerClass.of(failed(code, false))).isEqualTo(kind);
    assertThat(codes(failed(code, false))).isEqualTo(codes);
  }

  private static String codes(CsiFailure failed) {
    List<OperatorCode> codes =
        Arrays.stream(Verb.values())
            .map(verb -> AnswerClass.failure(turn(), verb, Answer.failed(failed)).code())
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
    return AnswerClass.failure(turn(), Verb.STAGE, Answer.failed(cause));
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
    return AnswerClass.failure(turn, Verb.STAGE, Answer.failed(failed(code, sent))).seen();
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
    return AnswerClass.mayGoOn(failed(code, sent));
  }

  @Test
  void onlyAnAnswerThatKeepsAReleaseFromEverEndingCountsAsARefusalOfIt() {
    assertThat(
            Arrays.stream(StatusCode.values())
                .filter(code -> AnswerClass.isRefusalOfRelease(failed(code, true)))
                .toList())
        .containsExactlyInAnyOrder(
            StatusCode.OK,
            StatusCode.UNKNOWN,
            StatusCode.INTERNAL,
            StatusCode.FAILED_PRECONDITION,
            StatusCode.OUT_OF_RANGE,
            StatusCode.ALREADY_EXISTS);
    assertThat(AnswerClass.isRefusalOfRelease(failed(StatusCode.INTERNAL, false))).isFalse();
  }

  @Test
  void aPersonIsNeededWhereTheRequestIsWrongOrThePluginCannotUnpublish() {
    assertThat(forPeople(Verb.UNPUBLISH, StatusCode.INVALID_ARGUMENT, true)).isTrue();
    assertThat(forPeople(Verb.UNSTAGE, StatusCode.INVALID_ARGUMENT, true)).isTrue();
    assertThat(forPeople(Verb.UNPUBLISH, StatusCode.UNIMPLEMENTED, true)).isTrue();
    assertThat(forPeople(Verb.UNSTAGE, StatusCode.UNIMPLEMENTED, true)).isFalse();
    assertThat(forPeople(Verb.UNPUBLISH, StatusCode.INTERNAL, true)).isFalse();
    assertThat(forPeople(Verb.UNPUBLISH, StatusCode.INVALID_ARGUMENT, false)).isFalse();
  }

  private static boolean forPeople(Verb verb, StatusCode code, boolean sent) {
    return AnswerClass.isForPeople(verb, failed(code, sent));
  }

  @Test
  void pausesDoubleUpToTheCapAndAreDrawnEvenly() {
    MountPolicy policy =
        MountPolicy.builder()
            .backoff(Duration.ofMillis(100))
            .backoffCap(Duration.ofMillis(1500))
            .build();

    assertThat(pauses(AnswerClass.IN_DOUBT, policy, 1))
        .containsExactly(100L, 200L, 400L, 800L, 1500L, 1500L);
    assertThat(pauses(AnswerClass.GOING_ON, policy, 0.5))
        .containsExactly(50L, 100L, 200L, 400L, 750L, 750L);
    assertThat(pauses(AnswerClass.PENDING, policy, 1))
        .as("ten times as long")
        .containsExactly(1000L, 1500L, 1500L, 1500L, 1500L, 1500L);
    assertThat(pauses(AnswerClass.LATER, policy, 1))
        .containsExactly(1000L, 1500L, 1500L, 1500L, 1500L, 1500L);
    assertThat(pauses(AnswerClass.IN_DOUBT, policy, 0)).containsOnly(0L);
  }

  @Test
  void pausesThatNoNumberHoldsAreTheLongestThereAre() {
    Duration longest = Duration.ofNanos(Long.MAX_VALUE);
    Duration half = Duration.ofNanos(Long.MAX_VALUE / 2 + 1);
    MountPolicy policy = MountPolicy.builder().backoff(half).backoffCap(longest).build();

    assertThat(AnswerClass.LATER.pause(policy, 1, 1)).isEqualTo(longest);
    assertThat(AnswerClass.IN_DOUBT.pause(policy, 2, 1)).isEqualTo(longest);
  }

  private static List<Long> pauses(AnswerClass kind, MountPolicy policy, double random) {
    return IntStream.rangeClosed(1, 6)
        .mapToObj(tries -> kind.pause(policy, tries, random).toMillis())
        .toList();
  }

  @Test
  void aCallThatKeepsItsOppositeWaitingIsNamed() {
    assertThat(AnswerClass.quarantined(Verb.STAGE))
        .isEqualTo(
            Failure.of(
                OperatorCode.STAGE_IN_DOUBT,
                "the plugin may still be working on an earlier NodeStageVolume, which the opposite"
                    + " call must not overtake"));
    assertThat(AnswerClass.quarantined(Verb.PUBLISH).code())
        .isEqualTo(OperatorCode.PUBLISH_IN_DOUBT);
  }
}
