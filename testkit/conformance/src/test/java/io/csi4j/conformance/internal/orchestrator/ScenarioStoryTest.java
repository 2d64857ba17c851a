package io.csi4j.conformance.internal.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.CsiPlugin;
import io.csi4j.conformance.model.CaseResult;
import io.csi4j.conformance.model.ConformanceReport;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.referee.Breach;
import io.csi4j.testkit.referee.DutyId;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ScenarioStoryTest {

  @Test
  void aScenarioThatFailedTellsEachDutyOnceAndNoMoreThanTheEndOfItsJournal() {
    try (FakeCsiPlugin fake = FakeCsiPlugin.open();
        CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
      plugin.node().getInfo();
      List<Breach> breaches =
          IntStream.rangeClosed(1, 300)
              .mapToObj(
                  number ->
                      new Breach(
                          DutyId.of(number % 2 == 0 ? 49 : 83),
                          "the story of call " + number,
                          fake.journal().calls()))
              .toList();
      List<String> journal =
          (fake.journal().describe() + "x".repeat(1000) + "\n").repeat(200).lines().toList();
      CaseResult result =
          ScenarioStory.result(
              Scenarios.all().get(0),
              List.of("it went wrong"),
              breaches.stream().filter(each -> each.duty().equals(DutyId.of(83))).toList(),
              breaches.stream().filter(each -> each.duty().equals(DutyId.of(49))).toList(),
              journal,
              Duration.ZERO);

      assertThat(result.story())
          .hasSizeLessThan(12_000)
          .contains("problem: it went wrong")
          .containsOnlyOnce("advice on duty D-049, 150 times: ")
          .containsOnlyOnce("broken duty D-083, 150 times: ")
          .containsOnlyOnce("first: the story of call 1\n  #")
          .containsOnlyOnce("first: the story of call 2\n  #")
          .contains("NodeGetInfo on 'node-1' ended OK")
          .contains("what the plugin saw, without the first " + (journal.size() - 40))
          .doesNotContain("the story of call 3\n", "CallRecord[", "x".repeat(300));
      assertThat(result.calls()).isEqualTo(journal);
      assertThat(new ConformanceReport("one", Collections.nCopies(13, result)).text())
          .hasSizeLessThan(14_000);
      assertThat(breaches.get(0)).hasToString("the story of call 1");
    }
  }
}
