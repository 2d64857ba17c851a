package io.csi4j.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.fault.Fault.WrongAnswer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FaultScriptTest {

  private static FaultScript.Rule rule(String line) {
    return FaultScript.parse("s", List.of(line)).rules().get(0);
  }

  private static List<Fault> steps(String steps) {
    return rule("any: " + steps).fault().steps();
  }

  private static When when(String calls) {
    return rule(calls + ": hang").when();
  }

  private static String mistake(String line) {
    try {
      FaultScript.parse("s", List.of(line));
    } catch (IllegalArgumentException mistake) {
      return String.valueOf(mistake.getMessage());
    }
    throw new AssertionError("accepted: " + line);
  }

  @Test
  void aRuleHasItsCallsItsCountAndItsStepsInOrder() {
    FaultScript.Rule rule =
        rule("NodeStageVolume volume=v1 nth=2 times=1: delay 5s, fail ABORTED \"busy\"");

    assertThat(rule.when().operations()).containsExactly(CsiOperation.NODE_STAGE_VOLUME);
    assertThat(rule.when().first()).isEqualTo(2);
    assertThat(rule.when().times()).isEqualTo(1);
    assertThat(rule.fault().steps())
        .containsExactly(
            Fault.delay(Duration.ofSeconds(5)), Fault.fail(StatusCode.ABORTED, "busy"));
  }

  @Test
  void everyStepCanBeWritten() {
    assertThat(steps("apply, apply-later 250ms, delay 2m, duplicate, hang, drop"))
        .containsExactly(
            Fault.apply(),
            Fault.applyLater(Duration.ofMillis(250)),
            Fault.delay(Duration.ofMinutes(2)),
            Fault.duplicate(),
            Fault.hang(),
            Fault.drop());
    assertThat(steps("fail 17")).containsExactly(Fault.fail(17, ""));
    assertThat(steps("fail -1, hang")).containsExactly(Fault.fail(-1, ""), Fault.hang());
    assertThat(steps("fail not_found")).containsExactly(Fault.fail(StatusCode.NOT_FOUND, ""));
    for (WrongAnswer each : WrongAnswer.values()) {
      assertThat(steps("answer " + each)).containsExactly(Fault.answer(each));
    }
  }

  @Test
  void anAnswerCanBeWrittenAsJson() {
    String json = "{\"volume\": {\"volume_context\": {\"a\": \"}, # \\\"b\"}}}";

    assertThat(rule("CreateVolume: apply, answer " + json + ", hang").fault().steps())
        .containsExactly(
            Fault.apply(), Fault.answer(CsiOperation.CREATE_VOLUME, json), Fault.hang());
    assertThat(rule("CreateVolume nth=2: change {}").fault().steps())
        .containsExactly(Fault.change(CsiOperation.CREATE_VOLUME, "{}"));
    assertThat(rule("Probe NodeGetInfo GetPluginInfo: answer {}").fault().steps()).hasSize(1);
  }

  @Test
  void everyOperationCanBeNamedAloneOrWithOthers() {
    for (CsiOperation each : CsiOperation.values()) {
      assertThat(when(each.rpcName()).operations()).containsExactly(each);
    }
    assertThat(when("Probe CreateVolume").operations())
        .containsExactlyInAnyOrder(CsiOperation.PROBE, CsiOperation.CREATE_VOLUME);
    assertThat(when("any").operations()).isEqualTo(EnumSet.allOf(CsiOperation.class));
  }

  @ParameterizedTest
  @CsvSource({
    "any,               1, 9223372036854775807",
    "any nth=3,         3, 1",
    "any nth=3 times=4, 3, 4",
    "any from=3,        3, 9223372036854775807",
    "any from=3 times=4,3, 4",
    "any times=4,       1, 4"
  })
  void callsAreCountedAsWritten(String calls, long first, long times) {
    assertThat(when(calls).first()).isEqualTo(first);
    assertThat(when(calls).times()).isEqualTo(times);
  }

  @Test
  void textInQuotesMayHoldEverySign() {
    assertThat(steps("fail INTERNAL \"a \\\"b\\\" \\\\ c: d, e # f\""))
        .containsExactly(Fault.fail(StatusCode.INTERNAL, "a \"b\" \\ c: d, e # f"));
  }

  /** Found by fuzzing: a time that is none was repeated with its control characters. */
  @Test
  void aTimeThatIsNoneIsRepeatedAsTextThatATerminalCanShow() {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> FaultScript.parse("script", List.of("any: delay \u001b[2J")))
        .withMessage(
            "script:1:12: '\\u001b[2J' is not a valid time. Write a number and its unit: 250ms,"
                + " 5s, 2m or"
                + " 1h.");
  }

  /** Found by fuzzing: what followed a NUL was passed over without a word. */
  @ParameterizedTest
  @ValueSource(strings = {"\0 any: drop", "any: drop \0, hang", "any: fail 3 \0 \"busy\""})
  void aNulEndsNoLine(String line) {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> FaultScript.parse("script", List.of(line)))
        .withMessageStartingWith("script:1:" + (line.indexOf('\0') + 1) + ": ");
  }

  @Test
  void blankLinesAndCommentsAreNoRules() {
    FaultScript script =
        FaultScript.parse("s", List.of("", "  # all", "Probe:hang#here", "\t", "any : drop # x"));

    assertThat(script.rules())
        .extracting(FaultScript.Rule::fault)
        .containsExactly(Fault.hang(), Fault.drop());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "NodeStageVolum: hang | 1 | 'NodeStageVolum' is not a valid operation. Write any,"
            + " GetPluginInfo, ",
        "NodeStageVolume hang | 17 | 'hang' is not a valid operation.",
        "Probe | 6 | Write a colon between the calls and what happens to them, not the end of the"
            + " line.",
        ": hang | 1 | Write an operation such as NodeStageVolume, or any, not ': hang'.",
        "any volum=v1: hang | 5 | 'volum' is not a valid condition. Write volume, nth, from or"
            + " times.",
        "any volume=: hang | 12 | Write the id of a volume, not ': hang'.",
        "any nth=0: hang | 9 | '0' is not a valid number of calls. Write 1 or more.",
        "any nth=two: hang | 9 | 'two' is not a valid number of calls.",
        "any nth=1 from=2: hang | 11 | Write either nth or from, and only once.",
        "any nth=1 Probe: hang | 16 | Write KEY=VALUE, not ': hang'.",
        "any: sleep | 6 | 'sleep' is not a valid step. Write delay, fail, apply, apply-later,"
            + " duplicate, hang, drop,"
            + " answer or change.",
        "any: | 5 | Write delay, fail, apply, apply-later, duplicate, hang, drop, answer or"
            + " change, not the end"
            + " of the line.",
        "any: hang drop | 11 | Write a comma between two steps, not 'drop'.",
        "any: delay 5 | 12 | '5' is not a valid time. Write a number and its unit: 250ms, 5s, 2m"
            + " or 1h.",
        "any: delay | 11 | Write a time such as 5s, not the end of the line.",
        "any: fail BUSY | 11 | 'BUSY' is not a valid status. Write a number, OK, CANCELLED, ",
        "any: fail ABORTED busy | 19 | Write the text of the failure in double quotes.",
        "any: fail ABORTED \"busy | 19 | The quotes that open here are not closed.",
        "Probe: answer {\"ready\": 7} | 15 | The field value of a BoolValue takes true or false,"
            + " but got a number.",
        "Probe: change {\"redy\": 7} | 15 | A ProbeResponse has no field 'redy'. It has ready.",
        "Probe: answer {\"ready\" true} | 15 | The text is not valid JSON: at character 10 ':'"
            + " is expected.",
        "Probe: answer {\"ready\": true | 15 | The brace that opens here is not closed.",
        "Probe: change EMPTY | 15 | Write {\"FIELD\": …}, not 'EMPTY'.",
        "any: answer {\"ready\": true} | 13 | A ",
        "any: answer NOTHING | 13 | 'NOTHING' is not a valid wrong answer. Write EMPTY, OTHER_ID, "
      })
  void aMistakeIsToldByItsColumnWithWhatIsAllowed(String line, int column, String message) {
    assertThat(mistake(line)).startsWith("s:1:" + column + ": " + message);
  }

  @Test
  void allLinesThatMakeNoSenseAreToldAtOnce() {
    assertThatThrownBy(
            () -> FaultScript.parse("f.txt", List.of("any: hang", "nay: hang", "any: hung")))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .satisfies(
            text ->
                assertThat(
                        text.lines().map(line -> line.replaceAll("(:\\d+:\\d+: '\\w+').*", "$1")))
                    .containsExactly("f.txt:2:1: 'nay'", "f.txt:3:6: 'hung'"));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void anyLineIsARuleOrNoneOrAMistakeWithinIt(long seed) {
    String[] parts = {
      "any", "Probe", "volume", "=", ":", ",", " ", "\"", "\\", "#", "hang", "fail", "17", "nth",
      "delay", "answer", "change", "{", "}", "5s", "\t", "\u202e", "\u0000", "\ud800", "ä"
    };
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      StringBuilder line = new StringBuilder();
      for (int length = random.nextInt(9); length > 0; length--) {
        line.append(parts[random.nextInt(parts.length)]);
      }
      FaultLine read = new FaultLine(line.toString());
      try {
        read.read();
      } catch (FaultLine.Mistake mistake) {
        assertThat(mistake.column()).as("%s", line).isBetween(1, line.length() + 1);
        assertThat(mistake.getMessage()).doesNotContain("\u202e", "\u0000").endsWith(".");
      }
    }
  }
}
