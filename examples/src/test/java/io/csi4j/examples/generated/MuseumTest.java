package io.csi4j.examples.generated;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.examples.generated.Museum.Story;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Whether each defect of another system has a test that asserts and names its origin. */
class MuseumTest {

  private static final List<WrittenTest> TESTS = WrittenTest.all();
  private static final Story STORY =
      new Story("nomad #7, #8", "It was lost", "It is kept", "SomeTest#nomad7_itIsKept");

  private static List<WrittenTest> written(String body) {
    return List.of(new WrittenTest("m", "SomeTest", "nomad7_itIsKept", Set.of(), body));
  }

  @Test
  void eachOfThe38StoriesHasATestThatNamesItsOriginAndAsserts() throws IOException {
    Museum museum = Museum.load();

    assertThat(museum.stories()).hasSize(38);
    assertThat(museum.problems(TESTS)).isEmpty();
  }

  @Test
  void thePageAgreesWithTheList() throws IOException {
    GeneratedPage.isFresh("museum.md", Museum.load().page(TESTS));
  }

  @Test
  void aTestThatIsMissingOrAssertsNothingOrBelongsToAnotherStoryIsFound() {
    Story other = new Story("h2 #9", "Lost", "Kept", "SomeTest#nomad7_itIsKept");
    Museum museum = new Museum(List.of(STORY));

    assertThat(museum.problems(written("assertThat(it).isTrue();"))).isEmpty();
    assertThat(museum.problems(List.of()))
        .containsExactly("There are 0 tests SomeTest#nomad7_itIsKept.");
    assertThat(museum.problems(written("run(it);")))
        .containsExactly("SomeTest#nomad7_itIsKept asserts nothing.");
    assertThat(new Museum(List.of(STORY, other)).problems(written("assertThat(it).isTrue();")))
        .containsExactly(
            "SomeTest#nomad7_itIsKept is the test of two stories.",
            "SomeTest#nomad7_itIsKept does not begin with its origin, h2Issue9_.");
  }
}
