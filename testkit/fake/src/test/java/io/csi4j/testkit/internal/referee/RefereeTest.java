package io.csi4j.testkit.internal.referee;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.testkit.internal.referee.Rows.Row;
import io.csi4j.testkit.referee.Duty;
import io.csi4j.testkit.referee.DutyId;
import io.csi4j.testkit.referee.Verdict;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RefereeTest {

  /** The duties that are judged and bind: the spec says MUST, SHALL or REQUIRED. */
  private static final List<Integer> BINDING =
      Stream.of(
              """
              55 56 60 61 62 63 79 80 83 85 92 104 108 118 128 138 139 140 141 142 143 145
              146 148 149 169 180 182 184 187 188 189 190 192 195 196 198 201 206 208 211
              217 218 219 220 221 222 223 224 225 232 233 234 235 236 240 242 246 247 248
              250 251 260 266 267 270 271 283 288 289 290 297 299 306 307 320 323 326 329
              330 331 337 347 351 352 353 356 357 358 359 363 368 370 371 372 374 375 376
              377 378 379 381 383 384 388 389 391 393 398 399 400 401 402 403 404 405 406
              407 411 413 429 430 432 433 434 440 441 442 443 446 452 458 465 466 467 468
              470 471 474 481 482 483 485 486 492 497 498 500 501 508 509 513 525 526 527
              539 541 551
              """
                  .split("\\s+"))
          .map(Integer::valueOf)
          .toList();

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
            Duty.all().stream()
                .filter(duty -> verdict.broken().contains(duty.id()))
                .noneMatch(duty -> duty.level().binding()));
  }

  @Test
  void onlyTheWordsOfComplianceBind() {
    assertThat(Duty.Level.values())
        .filteredOn(Duty.Level::binding)
        .containsExactly(
            Duty.Level.MUST,
            Duty.Level.MUST_NOT,
            Duty.Level.SHALL,
            Duty.Level.SHALL_NOT,
            Duty.Level.REQUIRED);
  }

  @Test
  void whatIsJudgedAsAdviceIsToldAsAdvice() {
    for (Row row : Rows.all()) {
      Verdict verdict = row.toy().verdict();
      Set<Integer> advice = new TreeSet<>(row.broken());
      advice.removeAll(BINDING);
      assertThat(numbers(verdict.advice())).as(row.name()).isEqualTo(advice);
      assertThat(verdict.breaches())
          .allSatisfy(
              breach ->
                  assertThat(breach.story())
                      .startsWith(
                          breach.duty()
                              + (advice.contains(breach.duty().number())
                                  ? " advice: call "
                                  : " broken: call ")));
    }
  }

  /** A duty that becomes binding, or ceases to be, is a decision: docs/design-decisions.md. */
  @Test
  void theseOfTheJudgedDutiesBindAndNoOthers() {
    assertThat(
            Duty.all().stream()
                .filter(duty -> duty.unseen().isEmpty() && duty.level().binding())
                .map(duty -> duty.id().number()))
        .containsExactlyElementsOf(BINDING);
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
    assertThat(Duty.all().stream().map(duty -> duty.id().number()))
        .containsExactlyElementsOf(IntStream.rangeClosed(1, 564).boxed().toList());
    assertThat(Duty.all())
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
    return Duty.all().stream()
        .filter(duty -> duty.unseen().isEmpty())
        .map(Duty::id)
        .map(DutyId::number)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<Integer> numbers(Set<DutyId> duties) {
    return duties.stream().map(DutyId::number).collect(Collectors.toCollection(TreeSet::new));
  }
}
