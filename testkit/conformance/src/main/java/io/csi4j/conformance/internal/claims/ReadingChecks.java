package io.csi4j.conformance.internal.claims;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.Versioned;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** A store reads what was written. */
final class ReadingChecks {

  private ReadingChecks() {}

  static void addTo(AllChecks all) {
    all.add(
        "what was never written is held by nobody and has no version",
        scene ->
            Scene.same(
                scene.read(SampleClaims.DB),
                Scene.never(SampleClaims.DB),
                "What was never written"));
    all.add(
        "reading writes nothing",
        scene -> {
          Versioned first = scene.read(SampleClaims.DB);
          Scene.same(scene.read(SampleClaims.DB), first, "A second look");
          Scene.same(
              scene.store().scan(Optional.empty(), 10), List.of(), "A scan of what was only read");
        });
    all.add(
        "what was written is read as it was",
        scene -> {
          Claim claim = SampleClaims.held(SampleClaims.DB, "a", "b");
          Versioned now = scene.write(scene.read(SampleClaims.DB), claim);
          Scene.same(now.claim(), claim, "The claim in the answer to the write");
          Scene.same(scene.read(SampleClaims.DB), now, "What was read after the write");
        });
    all.add(
        "every form of a claim comes back",
        scene -> {
          Versioned at = scene.read(SampleClaims.DB);
          for (Claim form : SampleClaims.everyForm(SampleClaims.DB)) {
            at = scene.write(at, form);
            Scene.same(scene.read(SampleClaims.DB).claim(), form, "A claim");
          }
        });
    all.add(
        "a claim that nobody holds keeps its epoch and its exhaustion",
        scene -> {
          Claim free =
              SampleClaims.claim(SampleClaims.DB, 7, List.of())
                  .exhausted(Optional.of(SampleClaims.THEN.plusNanos(7)));
          Versioned written = scene.write(scene.read(SampleClaims.DB), free);
          Scene.same(written.claim(), free, "The claim in the answer to the write");
          Scene.same(scene.read(SampleClaims.DB).claim(), free, "A claim that nobody holds");
        });
    all.add(
        "a hundred holders come back in their order",
        scene -> {
          String[] crowd =
              IntStream.range(0, 100).mapToObj("w-%03d"::formatted).toArray(String[]::new);
          Versioned now = scene.write(SampleClaims.DB, crowd);
          Scene.same(
              List.copyOf(scene.read(SampleClaims.DB).claim().holders().values()),
              List.copyOf(now.claim().holders().values()),
              "The crowd");
          Scene.same(
              scene.read(SampleClaims.DB).claim().holders().size(), 100, "The size of the crowd");
        });
    all.add(
        "sixty thousand characters are kept whole",
        scene -> {
          Claim large = SampleClaims.large(SampleClaims.DB, 60_000);
          Versioned now = scene.write(scene.read(SampleClaims.DB), large);
          Scene.same(now.claim(), large, "The large claim in the answer");
          Scene.same(scene.read(SampleClaims.DB).claim(), large, "The large claim");
        });
  }
}
