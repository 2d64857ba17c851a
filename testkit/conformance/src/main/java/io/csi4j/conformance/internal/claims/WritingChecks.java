package io.csi4j.conformance.internal.claims;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimStoreException;
import io.csi4j.volume.claim.spi.ClaimStoreException.Reason;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.claim.spi.WriteToken;
import java.util.List;
import java.util.Optional;

/** A write expects what has to be there; and no version comes twice. */
final class WritingChecks {

  private WritingChecks() {}

  static void addTo(AllChecks all) {
    versions(all);
    conflicts(all);
    replacing(all);
    marks(all);
    all.add("what is too large is kept whole or refused as such", WritingChecks::tooLarge);
  }

  private static void versions(AllChecks all) {
    all.add(
        "each write has a higher version",
        scene -> {
          Versioned at = scene.read(SampleClaims.DB);
          for (int i = 0; i < 20; i++) {
            at = higher(scene, at, SampleClaims.held(SampleClaims.DB, "w-" + i));
          }
        });
    all.add(
        "versions grow also when nobody holds it any more",
        scene -> {
          Versioned at = scene.write(SampleClaims.DB, "a");
          at = higher(scene, at, SampleClaims.claim(SampleClaims.DB, 1, List.of()));
          at = higher(scene, at, SampleClaims.held(SampleClaims.DB, "a"));
          at = higher(scene, at, Claim.none(SampleClaims.DB));
          Scene.same(scene.read(SampleClaims.DB), at, "What nobody holds any more");
        });
    all.add(
        "the same claim again is a write like any other",
        scene -> {
          Claim claim = SampleClaims.held(SampleClaims.DB, "a");
          Versioned now = higher(scene, scene.write(scene.read(SampleClaims.DB), claim), claim);
          Scene.same(scene.read(SampleClaims.DB), now, "The claim that was written again");
        });
    all.add(
        "a version does not come back with the claim that it had",
        scene -> {
          Claim claim = SampleClaims.held(SampleClaims.DB, "a");
          Versioned first = scene.write(scene.read(SampleClaims.DB), claim);
          Versioned third =
              scene.write(scene.write(first, SampleClaims.held(SampleClaims.DB, "b")), claim);
          Scene.same(
              scene.conflict(first.version(), SampleClaims.held(SampleClaims.DB, "c")).now(),
              third,
              "What is there");
        });
  }

  private static Versioned higher(Scene scene, Versioned before, Claim next) {
    Versioned now = scene.write(before, next);
    Scene.check(
        now.version().compareTo(before.version()) > 0,
        "A write after version " + before.version() + " was given " + now.version() + ".");
    return now;
  }

  private static void replacing(AllChecks all) {
    all.add(
        "what was seen last is replaced, also what was never written",
        scene -> {
          Versioned at = Scene.never(SampleClaims.DB);
          for (String holder : List.of("a", "b", "c")) {
            at = scene.replaced(at, SampleClaims.held(SampleClaims.DB, holder));
            Scene.same(scene.read(SampleClaims.DB), at, "What was replaced");
          }
        });
    all.add(
        "what is not the write that was seen is not replaced, whatever its version",
        scene -> {
          Versioned there = scene.write(SampleClaims.DB, "a");
          Versioned other =
              new Versioned(there.claim(), there.version(), Optional.of(Scene.token()));
          Scene.same(
              scene.notReplaced(other, SampleClaims.held(SampleClaims.DB, "b")),
              there,
              "What the conflict says is there");
          Versioned next = scene.write(there, SampleClaims.held(SampleClaims.DB, "a", "b"));
          Scene.same(
              scene.notReplaced(there, SampleClaims.held(SampleClaims.DB, "c")),
              next,
              "What the conflict says is there");
          Scene.same(scene.read(SampleClaims.DB), next, "What is there");
        });
  }

  private static void conflicts(AllChecks all) {
    all.add(
        "who expects an older version is told what is there",
        scene -> {
          Versioned first = scene.write(SampleClaims.DB, "a");
          Versioned second = scene.write(first, SampleClaims.held(SampleClaims.DB, "a", "b"));
          Scene.same(
              scene.conflict(first.version(), SampleClaims.held(SampleClaims.DB, "c")).now(),
              second,
              "What the conflict says is there");
        });
    all.add(
        "who expects that nothing was ever written is told what is there",
        scene -> {
          Versioned first = scene.write(SampleClaims.DB, "a");
          Scene.same(
              scene.conflict(ClaimVersion.NEVER, SampleClaims.held(SampleClaims.DB, "c")).now(),
              first,
              "What the conflict says is there");
        });
    all.add(
        "who expects a version of the future is told what is there",
        scene -> {
          Versioned first = scene.write(SampleClaims.DB, "a");
          for (long ahead : List.of(1L, 1_000_000L)) {
            ClaimVersion future = new ClaimVersion(first.version().value() + ahead);
            Scene.same(
                scene.conflict(future, SampleClaims.held(SampleClaims.DB, "c")).now(),
                first,
                "What the conflict says is there");
          }
        });
    all.add(
        "who expects a version of what was never written is told that",
        scene ->
            Scene.same(
                scene.conflict(new ClaimVersion(1), SampleClaims.held(SampleClaims.DB, "a")).now(),
                Scene.never(SampleClaims.DB),
                "What the conflict says is there"));
    all.add(
        "a conflict changes nothing",
        scene -> {
          Versioned first = scene.write(SampleClaims.DB, "a");
          WriteResult result =
              scene
                  .store()
                  .compareAndSet(
                      ClaimVersion.NEVER, SampleClaims.held(SampleClaims.DB, "c"), Scene.token());
          Scene.same(
              scene.read(SampleClaims.DB),
              first,
              "What is there after " + result.getClass().getName());
          Scene.same(
              scene.store().scan(Optional.empty(), 10), List.of(first), "A scan after a conflict");
        });
    all.add(
        "a conflict uses up nothing that the next write needs",
        scene -> {
          Versioned first = scene.write(SampleClaims.DB, "a");
          Versioned seen =
              scene.conflict(ClaimVersion.NEVER, SampleClaims.held(SampleClaims.DB, "c")).now();
          Versioned second = scene.write(seen, SampleClaims.held(SampleClaims.DB, "b"));
          Scene.check(
              second.version().compareTo(first.version()) > 0,
              "The write after a conflict has no higher version.");
        });
  }

  private static void marks(AllChecks all) {
    all.add(
        "a write keeps its mark",
        scene -> {
          WriteToken token = Scene.token();
          WriteResult result =
              scene
                  .store()
                  .compareAndSet(
                      ClaimVersion.NEVER, SampleClaims.held(SampleClaims.DB, "a"), token);
          Scene.check(
              result instanceof WriteResult.Written written
                  && written.now().by().filter(token::equals).isPresent(),
              "The answer to a write does not carry its mark.");
          Scene.same(
              scene.read(SampleClaims.DB).by(), Optional.of(token), "The mark of what was written");
        });
    all.add(
        "the same try twice is written once, and the second time is told by its mark",
        scene -> {
          WriteToken token = Scene.token();
          Claim claim = SampleClaims.held(SampleClaims.DB, "a");
          WriteResult first = scene.store().compareAndSet(ClaimVersion.NEVER, claim, token);
          Versioned now = scene.read(SampleClaims.DB);
          Versioned second =
              Scene.told(scene.store().compareAndSet(ClaimVersion.NEVER, claim, token));
          Scene.same(second, now, "What is there at the second try, after " + first.getClass());
          Scene.same(second.by(), Optional.of(token), "The mark of what is there");
          Scene.same(scene.read(SampleClaims.DB), now, "What is there after the second try");
        });
    all.add(
        "a try that comes late does nothing",
        scene -> {
          Versioned first = scene.write(SampleClaims.DB, "a");
          WriteToken token = Scene.token();
          Claim late = SampleClaims.held(SampleClaims.DB, "late");
          Versioned mine = Scene.written(scene.store().compareAndSet(first.version(), late, token));
          Versioned other = scene.write(mine, SampleClaims.held(SampleClaims.DB, "other"));
          WriteResult.Conflict again =
              Scene.conflict(
                  scene.store().compareAndSet(first.version(), late, token), first.version());
          Scene.same(again.now(), other, "What the late try is told");
          Scene.same(scene.read(SampleClaims.DB), other, "What is there after the late try");
        });
    all.add(
        "the mark of a write is that of the last one",
        scene -> {
          Versioned first = scene.write(SampleClaims.DB, "a");
          WriteToken token = Scene.token();
          WriteResult result =
              scene
                  .store()
                  .compareAndSet(first.version(), SampleClaims.held(SampleClaims.DB, "a"), token);
          Scene.same(
              scene.read(SampleClaims.DB).by(),
              Optional.of(token),
              "The mark after " + result.getClass().getSimpleName());
        });
  }

  private static void tooLarge(Scene scene) {
    Versioned before = scene.write(SampleClaims.DB, "a");
    Claim large = SampleClaims.large(SampleClaims.DB, 4_000_000);
    Versioned expected = before;
    try {
      expected = scene.write(before, large);
      Scene.same(expected.claim(), large, "What is too large, in the answer");
    } catch (ClaimStoreException e) {
      Scene.same(e.reason(), Reason.TOO_LARGE, "The reason of the refusal");
    }
    Scene.same(scene.read(SampleClaims.DB), expected, "What is there after the large write");
    Versioned after = scene.write(expected, SampleClaims.held(SampleClaims.DB, "b"));
    Scene.same(scene.read(SampleClaims.DB), after, "What is written after the large write");
  }
}
