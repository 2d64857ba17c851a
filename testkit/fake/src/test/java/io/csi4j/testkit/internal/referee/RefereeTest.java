package io.csi4j.testkit.internal.referee;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.testkit.internal.referee.Rows.Row;
import io.csi4j.testkit.referee.Duty;
import io.csi4j.testkit.referee.DutyId;
import io.csi4j.testkit.referee.Verdict;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RefereeTest {

  static Stream<Row> rows() {
    return Rows.all().stream();
  }

  @ParameterizedTest
  @MethodSource("rows")
  void aCallerBreaksExactlyTheDutiesOfItsRow(Row row) {
    Verdict verdict = row.toy().verdict();
    assertThat(numbers(verdict.broken())).as(verdict.describe()).isEqualTo(row.broken());
    assertThat(verdict.describe()).doesNotContain("canary");
  }

  @ParameterizedTest
  @MethodSource("rows")
  void aCallerIsLawfulUnlessItBreaksABindingDuty(Row row) {
    Verdict verdict = row.toy().verdict();
    assertThat(verdict.lawful())
        .isEqualTo(
            AllRules.duties().stream()
                .filter(duty -> verdict.broken().contains(duty.id()))
                .noneMatch(duty -> duty.level().binding()));
  }

  @Test
  void everyLevelBindsButAdviceAndPermissions() {
    assertThat(Duty.Level.values())
        .filteredOn(level -> !level.binding())
        .containsExactly(
            Duty.Level.SHOULD, Duty.Level.SHOULD_NOT, Duty.Level.MAY, Duty.Level.MAY_NOT);
  }

  @Test
  void everyDutyThatIsSeenIsBrokenBySomeRow() {
    Set<Integer> never = seen();
    rows().forEach(row -> never.removeAll(row.broken()));
    assertThat(never).isEmpty();
  }

  @Test
  void everyDutyThatIsSeenIsKeptInSomeRow() {
    Set<Integer> never = seen();
    rows()
        .forEach(
            row ->
                row.toy()
                    .verdict()
                    .findings()
                    .forEach(
                        (duty, finding) -> {
                          if (finding == Verdict.Finding.KEPT) {
                            never.remove(duty.number());
                          }
                        }));
    assertThat(never).isEmpty();
  }

  @Test
  void everyDutyHasOneRowInTheCatalogue() {
    assertThat(AllRules.duties().stream().map(duty -> duty.id().number()))
        .containsExactlyElementsOf(IntStream.rangeClosed(1, 551).boxed().toList());
    assertThat(AllRules.duties())
        .allSatisfy(
            duty -> {
              assertThat(duty.text()).isNotBlank();
              assertThat(duty.section()).isNotBlank();
            });
  }

  @Test
  void theRulesJudgeTheDutiesThatAreSeenAndNoOthers() {
    Set<Integer> judged =
        AllRules.rules(new DutyRule.Hearing()).stream()
            .flatMap(rule -> rule.duties().stream())
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(judged).isEqualTo(seen());
  }

  private static Set<Integer> seen() {
    return AllRules.duties().stream()
        .filter(duty -> duty.unseen().isEmpty())
        .map(Duty::id)
        .map(DutyId::number)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<Integer> numbers(Set<DutyId> duties) {
    return duties.stream().map(DutyId::number).collect(Collectors.toCollection(TreeSet::new));
  }
}
