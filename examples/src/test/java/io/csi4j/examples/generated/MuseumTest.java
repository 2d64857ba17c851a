package io.csi4j.examples.generated;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.examples.generated.Museum.Story;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Whether each defect of another system has a test that is run, asserts, and names its origin. */
class MuseumTest {

  private static final Path PAGE =
      Path.of(System.getProperty("csi4j.root", "."), "docs", "museum.md");

  private static final Story STORY =
      new Story("nomad #7, #8", "It was lost", "It is kept", "SomeTest#nomad7_itIsKept");

  private static WrittenTest written(String method, String idle, String flaw) {
    return new WrittenTest(
        "m",
        "SomeTest",
        method,
        Set.of(),
        idle,
        List.of(new WrittenAssertion("", Set.of("isEqualTo"), flaw)));
  }

  @Test
  void eachOfThe38StoriesHasATestThatNamesItsOriginAndAsserts() throws IOException {
    Museum museum = Museum.load();

    assertThat(museum.stories()).hasSize(38);
    assertThat(museum.problems(WrittenTests.ofTheHouse())).isEmpty();
  }

  @Test
  void thePageAgreesWithTheList() throws IOException {
    String expected = Museum.load().page(WrittenTests.ofTheHouse());
    if (Boolean.getBoolean("csi4j.regenerate")) {
      Files.writeString(PAGE, expected);
    }
    assertThat(PAGE).exists().content().isEqualTo(expected);
  }

  @Test
  void aTestThatIsMissingOrIdleOrAssertsNothingIsFound() {
    Museum museum = new Museum(List.of(STORY));

    assertThat(museum.problems(List.of(written("nomad7_itIsKept", "", "")))).isEmpty();
    assertThat(museum.problems(List.of()))
        .containsExactly("There are 0 tests SomeTest#nomad7_itIsKept.");
    assertThat(museum.problems(List.of(written("nomad7_itIsKept", "it is disabled", ""))))
        .containsExactly("SomeTest#nomad7_itIsKept is not run: it is disabled.");
    assertThat(museum.problems(List.of(written("nomad7_itIsKept", "", "in a branch"))))
        .containsExactly("SomeTest#nomad7_itIsKept asserts nothing that it cannot pass without.");
  }

  @Test
  void aTestWithoutItsOriginAndOneForTwoStoriesAreFound() {
    Story other = new Story("h2 #9", "Lost", "Kept", "SomeTest#nomad7_itIsKept");

    assertThat(
            new Museum(List.of(STORY, other)).problems(List.of(written("nomad7_itIsKept", "", ""))))
        .containsExactly(
            "SomeTest#nomad7_itIsKept is the test of two stories.",
            "SomeTest#nomad7_itIsKept does not begin with its origin, h2Issue9_.");
  }
}
