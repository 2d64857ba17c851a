package io.csi4j.volume.internal.claimkit;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.Versioned;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** What is read is what was written. */
final class ReadingChecks {

  private ReadingChecks() {}

  static void addTo(AllChecks all) {
    all.add(
        "what was never written is held by nobody and has no version",
        scene ->
            Scene.same(scene.read(Samples.DB), Scene.never(Samples.DB), "What was never written"));
    all.add(
        "reading writes nothing",
        scene -> {
          Versioned first = scene.read(Samples.DB);
          Scene.same(scene.read(Samples.DB), first, "A second look");
          Scene.same(
              scene.store().scan(Optional.empty(), 10), List.of(), "A scan of what was only read");
        });
    all.add(
        "what was written is read as it was",
        scene -> {
          Claim claim = Samples.held(Samples.DB, "a", "b");
          Versioned now = scene.write(scene.read(Samples.DB), claim);
          Scene.same(now.claim(), claim, "The claim in the answer to the write");
          Scene.same(scene.read(Samples.DB), now, "What was read after the write");
        });
    all.add(
        "every form of a claim comes back",
        scene -> {
          Versioned at = scene.read(Samples.DB);
          for (Claim form : Samples.everyForm(Samples.DB)) {
            at = scene.write(at, form);
            Scene.same(scene.read(Samples.DB).claim(), form, "A claim");
          }
        });
    all.add(
        "a claim that nobody holds keeps its epoch and its exhaustion",
        scene -> {
          Claim free =
              Samples.claim(Samples.DB, 7, List.of())
                  .exhausted(Optional.of(Samples.THEN.plusNanos(7)));
          Versioned written = scene.write(scene.read(Samples.DB), free);
          Scene.same(written.claim(), free, "The claim in the answer to the write");
          Scene.same(scene.read(Samples.DB).claim(), free, "A claim that nobody holds");
        });
    all.add(
        "a hundred holders come back in their order",
        scene -> {
          String[] crowd =
              IntStream.range(0, 100).mapToObj("w-%03d"::formatted).toArray(String[]::new);
          Versioned now = scene.write(Samples.DB, crowd);
          Scene.same(
              List.copyOf(scene.read(Samples.DB).claim().holders().values()),
              List.copyOf(now.claim().holders().values()),
              "The crowd");
          Scene.same(scene.read(Samples.DB).claim().holders().size(), 100, "The size of the crowd");
        });
    all.add(
        "sixty thousand characters are kept whole",
        scene -> {
          Claim large = Samples.large(Samples.DB, 60_000);
          Versioned now = scene.write(scene.read(Samples.DB), large);
          Scene.same(now.claim(), large, "The large claim in the answer");
          Scene.same(scene.read(Samples.DB).claim(), large, "The large claim");
        });
  }
}
