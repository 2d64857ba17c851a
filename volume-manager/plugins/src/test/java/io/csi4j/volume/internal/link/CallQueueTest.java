package io.csi4j.volume.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CallQueueTest {

  private final CallQueue queue = new CallQueue(2);
  private final List<String> begun = new ArrayList<>();

  private void enter(String name) {
    queue.enter(() -> begun.add(name));
  }

  @Test
  void soManyAreLetInAndTheOthersFollowInOrderAsPlacesAreGivenBack() {
    List.of("a", "b", "c", "d", "e").forEach(this::enter);
    assertThat(begun).containsExactly("a", "b");

    queue.leave();
    assertThat(begun).containsExactly("a", "b", "c");
    queue.leave();
    queue.leave();
    assertThat(begun).containsExactly("a", "b", "c", "d", "e");
  }

  @Test
  void aPlaceThatNobodyWaitsForIsKeptForTheNext() {
    enter("a");
    queue.leave();
    List.of("b", "c", "d").forEach(this::enter);

    assertThat(begun).containsExactly("a", "b", "c");
  }
}
