package io.csi4j.conformance.internal.claims;

import io.csi4j.conformance.claims.ClaimStoreCheck;
import io.csi4j.conformance.claims.ClaimStoreFixture;
import io.csi4j.conformance.claims.ClaimStoreFixture.Ability;
import java.util.ArrayList;
import java.util.List;

/** Collects the checks that a fixture can be used for. */
public final class AllChecks {

  private final ClaimStoreFixture fixture;
  private final List<ClaimStoreCheck> checks = new ArrayList<>();

  private AllChecks(ClaimStoreFixture fixture) {
    this.fixture = fixture;
  }

  /** All of them. */
  public static List<ClaimStoreCheck> of(ClaimStoreFixture fixture) {
    AllChecks all = new AllChecks(fixture);
    ReadingChecks.addTo(all);
    KeyChecks.addTo(all);
    WritingChecks.addTo(all);
    ScanningChecks.addTo(all);
    WatchingChecks.addTo(all);
    CrowdChecks.addTo(all);
    CallerChecks.addTo(all);
    LifeChecks.addTo(all);
    if (fixture.abilities().contains(Ability.SHARED)) {
      SharedChecks.addTo(all);
    }
    if (fixture.abilities().contains(Ability.DURABLE)) {
      DurableChecks.addTo(all);
    }
    if (fixture.abilities().contains(Ability.DAMAGEABLE)) {
      DamageChecks.addTo(all);
    }
    return List.copyOf(all.checks);
  }

  void add(String name, Scene.Body body) {
    checks.add(new OneCheck(name, fixture, body));
  }

  private record OneCheck(String name, ClaimStoreFixture fixture, Scene.Body body)
      implements ClaimStoreCheck {

    @Override
    public void run() {
      try (ClaimStoreFixture.Place place = fixture.place();
          Scene scene = new Scene(fixture, place)) {
        body.run(scene);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("The check was interrupted: " + name + ".", e);
      } catch (Exception e) {
        throw new AssertionError("It threw what it must not: " + e, e);
      }
    }

    @Override
    public String toString() {
      return name;
    }
  }
}
