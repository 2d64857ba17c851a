package io.csi4j.volume.internal.plugin;

import static io.csi4j.volume.model.OperatorCode.PLUGIN_NAME_CHANGED;
import static io.csi4j.volume.model.OperatorCode.PLUGIN_NOT_READY;
import static io.csi4j.volume.model.OperatorCode.PLUGIN_NOT_UP;
import static io.csi4j.volume.model.OperatorCode.PLUGIN_SOCKET_DENIED;
import static io.csi4j.volume.model.OperatorCode.PLUGIN_SOCKET_STALE;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.internal.plugin.Vitals.Input;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.State;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VitalsTest {

  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
  private static final PluginConfig LIMITS = limits(3, 2);

  private static PluginConfig limits(int failuresToUnhealthy, int answersToReady) {
    return PluginConfig.builder("fake", Path.of("/run/fake"))
        .volumeRoot(Path.of("/volumes"))
        .failuresToUnhealthy(failuresToUnhealthy)
        .answersToReady(answersToReady)
        .healthTimeout(Duration.ofSeconds(30))
        .build();
  }

  private static PluginTrouble trouble(String word) {
    return switch (word) {
      case "silent" -> PluginTrouble.silent(Duration.ofSeconds(5));
      case "none" -> PluginTrouble.of(Reason.NO_SOCKET, PLUGIN_NOT_UP, "there is no socket");
      case "stale" ->
          PluginTrouble.of(Reason.NOBODY_LISTENS, PLUGIN_SOCKET_STALE, "nobody listens");
      case "waits" -> PluginTrouble.of(Reason.NOT_READY, PLUGIN_NOT_READY, "it is not ready");
      case "error" -> PluginTrouble.of(Reason.ERROR, PLUGIN_NOT_READY, "it is ill");
      case "denied" -> PluginTrouble.of(Reason.DENIED, PLUGIN_SOCKET_DENIED, "mode 0700");
      case "other" -> PluginTrouble.of(Reason.REFUSED, PLUGIN_NAME_CHANGED, "another name");
      default -> throw new IllegalArgumentException(word);
    };
  }

  private static Input input(String word) {
    return switch (word) {
      case "good" -> new Input.Good();
      case "late" -> new Input.Overdue();
      case "again" -> new Input.Restarted();
      case "stop" -> new Input.Stopped();
      default -> new Input.Bad(trouble(word));
    };
  }

  private static Vitals after(String inputs) {
    Vitals vitals = Vitals.starting(BEGIN);
    Instant now = BEGIN;
    for (String word : inputs.split(" ", -1)) {
      now = now.plusSeconds(1);
      vitals = vitals.after(input(word), LIMITS, now);
    }
    return vitals;
  }

  /** State, reason, second since when, and what an operator is told. */
  private static String shown(Vitals vitals) {
    PluginHealth health = vitals.health();
    return (health.state() + " " + health.reason()).toLowerCase(Locale.ROOT)
        + " "
        + Duration.between(BEGIN, health.since()).toSeconds()
        + vitals.told().map(told -> " " + told.code() + ": " + told.seen()).orElse("");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // Starting: one good answer is enough; what every start goes through is no news.
        "good                      | ready answered 1",
        "none                      | starting no_socket 0",
        "none stale waits silent   | starting silent 0",
        "none good                 | ready answered 2",
        "denied                    | starting denied 0 PLUGIN_SOCKET_DENIED: mode 0700",
        "other                     | starting refused 0 PLUGIN_NAME_CHANGED: another name",
        "error                     | starting error 0 PLUGIN_NOT_READY: it is ill",
        // Too late, and still asked.
        "none late                 | unhealthy no_socket 2 PLUGIN_START_TIMEOUT: it was not ready"
            + " 30 s after its start: there is no socket",
        "late                      | unhealthy not_asked 1 PLUGIN_START_TIMEOUT: it was not ready"
            + " 30 s after its start: its health was not checked yet",
        "none late good            | unhealthy no_socket 2 PLUGIN_START_TIMEOUT: it was not ready"
            + " 30 s after its start: there is no socket",
        "none late good good       | ready answered 4",
        "good late                 | ready answered 1",
        // Ready: it takes three in a row, but what is certain counts at once.
        "good silent silent        | ready answered 1",
        "good silent silent silent | unhealthy silent 4 PLUGIN_UNHEALTHY: 3 probes in a row failed:"
            + " it did not answer within 5 s",
        "good silent none error    | unhealthy error 4 PLUGIN_UNHEALTHY: 3 probes in a row failed:"
            + " it is ill",
        "good silent silent good silent silent | ready answered 1",
        "good denied               | unhealthy denied 2 PLUGIN_SOCKET_DENIED: mode 0700",
        "good silent other         | unhealthy refused 3 PLUGIN_NAME_CHANGED: another name",
        // Unhealthy: since when stays, why may change; two good ones in a row heal.
        "good denied stale         | unhealthy nobody_listens 2 PLUGIN_SOCKET_STALE: nobody"
            + " listens",
        "good denied denied        | unhealthy denied 2 PLUGIN_SOCKET_DENIED: mode 0700",
        "good denied good          | unhealthy denied 2 PLUGIN_SOCKET_DENIED: mode 0700",
        "good denied good denied good | unhealthy denied 2 PLUGIN_SOCKET_DENIED: mode 0700",
        "good denied good good     | ready answered 4",
        "good denied late          | unhealthy denied 2 PLUGIN_SOCKET_DENIED: mode 0700",
        // Started anew, and stopped for good.
        "good denied again         | starting not_asked 3",
        "good denied again good    | ready answered 4",
        "stop                      | gone stopped 1 PLUGIN_STOPPED: the host has stopped it",
        "good stop                 | gone stopped 2 PLUGIN_STOPPED: the host has stopped it",
        "stop good                 | gone stopped 1 PLUGIN_STOPPED: the host has stopped it",
        "stop denied late again    | gone stopped 1 PLUGIN_STOPPED: the host has stopped it",
      })
  void whatHappenedDecidesHowItIs(String inputs, String expected) {
    assertThat(shown(after(inputs))).isEqualTo(expected);
  }

  @Test
  void oneFailureIsEnoughWhereOneIsAskedFor() {
    PluginConfig strict = limits(1, 1);
    Vitals ready = Vitals.starting(BEGIN).after(new Input.Good(), strict, BEGIN);

    assertThat(shown(ready.after(input("silent"), strict, BEGIN.plusSeconds(1))))
        .isEqualTo(
            "unhealthy silent 1 PLUGIN_UNHEALTHY: a probe failed: it did not answer within"
                + " 5 s");
  }

  @Test
  void aPluginThatFailsOnceInAWhileStaysReady() {
    Vitals vitals = after("good");
    List<PluginHealth> seen = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      vitals = vitals.after(input(i % 3 == 0 ? "error" : "good"), LIMITS, BEGIN.plusSeconds(i));
      seen.add(vitals.health());
    }

    assertThat(seen).allMatch(PluginHealth::isReady);
  }

  @Test
  void itIsSettledWhenItIsReadyAndItsLastAnswerWasGood() {
    assertThat(after("none").isSettled()).isFalse();
    assertThat(after("good").isSettled()).isTrue();
    assertThat(after("good silent").isSettled()).isFalse();
    assertThat(after("good silent good").isSettled()).isTrue();
    assertThat(after("good denied").isSettled()).isFalse();
    assertThat(after("good denied").health().state()).isEqualTo(State.UNHEALTHY);
  }
}
