package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiConditionException;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiRequestException;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.FailureRule;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.scripted.Samples;
import io.csi4j.client.scripted.ScriptedPlugin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every status of every call, over a real socket, is judged as the table says. */
class EveryCodeTest {

  private static final int ATTEMPTS = 3;

  @TempDir static Path directory;
  private static ScriptedPlugin scripted;
  private static CsiPlugin plugin;

  @BeforeAll
  static void connect() {
    scripted = ScriptedPlugin.start(directory.resolve("csi.sock"));
    plugin =
        CsiPlugin.connect(
            scripted.endpoint(),
            ConnectOptions.builder()
                .policies(policy -> policy.backoff(Duration.ZERO).pendingBackoff(Duration.ZERO))
                .build());
    Samples samples = new Samples(0);
    for (CsiOperation operation : CsiOperation.values()) {
      Samples.call(plugin, operation, samples.request(operation, true));
    }
  }

  @AfterAll
  static void close() {
    plugin.close();
    scripted.close();
  }

  static Stream<Arguments> everyOperationAndCode() {
    return Arrays.stream(CsiOperation.values())
        .flatMap(
            operation ->
                Arrays.stream(StatusCode.values())
                    .filter(code -> code != StatusCode.OK)
                    .map(code -> Arguments.of(operation, code)));
  }

  /** Every fifth row: three or four codes of each operation, each code with some seven. */
  static Stream<Arguments> someCodesOfEveryOperation() {
    List<Arguments> all = everyOperationAndCode().toList();
    return IntStream.range(0, all.size()).filter(at -> at % 5 == 0).mapToObj(all::get);
  }

  @ParameterizedTest
  @MethodSource("someCodesOfEveryOperation")
  void theTableDecidesOutcomeRetryAndAdvice(CsiOperation operation, StatusCode code) {
    isJudgedByTheTable(operation, code);
  }

  @Tag("campaign")
  @ParameterizedTest
  @MethodSource("everyOperationAndCode")
  void theTableDecidesForEveryOperationAndCode(CsiOperation operation, StatusCode code) {
    isJudgedByTheTable(operation, code);
  }

  private static void isJudgedByTheTable(CsiOperation operation, StatusCode code) {
    FailureRule rule = FailureRule.of(operation, code);
    scripted.forget();
    scripted.fail(operation, code, "because I say so");

    CsiException failure =
        catchThrowableOfType(
            CsiException.class,
            () -> Samples.call(plugin, operation, new Samples(1).request(operation, true)));

    assertThat(failure.code()).isEqualTo(code);
    assertThat(failure.outcome()).isEqualTo(rule.outcome());
    assertThat(failure.advice()).isEqualTo(rule.advice());
    assertThat(failure.operation()).contains(operation);
    assertThat(failure.failure().pluginText()).contains("because I say so");
    assertThat(failure.failure().why()).isEqualTo(rule.meaning());
    assertThat(failure.getMessage())
        .contains(" failed: " + rule.meaning() + " (" + code + ")")
        .contains("; the plugin says: \"because I say so\". " + rule.advice())
        .contains("[" + operation.rpcName() + ", unix:///")
        .endsWith(", " + rule.outcome() + "]");
    assertThat(failure).isInstanceOf(expected(rule));

    boolean repeated =
        rule.retry().isAutomatic() && CallPolicy.defaultFor(operation).attempts() > 1;
    assertThat(scripted.calls(operation)).hasSize(repeated ? ATTEMPTS : 1);
    assertThat(failure.attempts()).isEqualTo(repeated ? ATTEMPTS : 1);
    assertThat(failure.getSuppressed()).hasSize(repeated ? ATTEMPTS - 1 : 0);
  }

  private static Class<? extends CsiException> expected(FailureRule rule) {
    return switch (rule.retry()) {
      case BACKOFF, AFTER_PENDING -> CsiTransientException.class;
      case AFTER_REQUEST_CHANGE -> CsiRequestException.class;
      case AFTER_FIX -> CsiConditionException.class;
      case NEVER ->
          rule.code() == StatusCode.UNIMPLEMENTED
              ? CsiUnsupportedException.class
              : CsiConditionException.class;
    };
  }
}
