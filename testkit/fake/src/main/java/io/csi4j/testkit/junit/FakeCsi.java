package io.csi4j.testkit.junit;

import io.csi4j.testkit.model.Quirk;
import io.csi4j.testkit.model.ShapePreset;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a test a CSI plugin, and fails it if it leaves something behind or breaks the rules of CSI.
 *
 * <p>On a class, a nested class or a method: its parameters, and those of constructors and {@code
 * BeforeEach} methods, may then be a {@code FakeCsiPlugin}, its {@code CsiEndpoint}, a connected
 * {@code CsiPlugin} client of that endpoint, its {@code CallJournal}, its {@code VirtualClock} if
 * {@link #virtualTime} is asked for, and the {@code MemoryKernel} that it mounts in if {@link
 * #mounts} is. All of them belong to one plugin. The innermost annotation counts.
 *
 * <p>On a parameter, or on a field of one of these types: a plugin just for it, and for other
 * parameters and fields of the test with an equal annotation. A field is set before the {@code
 * BeforeEach} methods; a static one before the {@code BeforeAll} methods, for {@link
 * PluginLifetime#CLASS}.
 *
 * <p>After each test the plugin is closed. A test that passed fails if volumes are still in use,
 * calls are in flight, or something of the plugin itself is left; and if the referee found a
 * binding duty broken. When a test has failed anyway, the journal of calls is published as a report
 * entry and added to the failure as a suppressed exception.
 *
 * @since 1.0
 */
@SuppressWarnings("exports") // who uses this has JUnit on the module path
@Target({
  ElementType.TYPE,
  ElementType.METHOD,
  ElementType.FIELD,
  ElementType.PARAMETER,
  ElementType.ANNOTATION_TYPE
})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@ExtendWith(FakeCsiExtension.class)
public @interface FakeCsi {

  /** The shape of the plugin. */
  ShapePreset shape() default ShapePreset.FULL;

  /** A class that says what the plugin is, instead of {@link #shape}. */
  Class<? extends ShapeSource> shapeFrom() default ShapeSource.class;

  /** How it differs from the plainest lawful plugin, on top of its shape. */
  Quirk[] quirks() default {};

  /**
   * The file of a {@link io.csi4j.testkit.fault.FaultScript} whose faults it has from the start: a
   * resource of the class path of the test, such as {@code faults/busy.txt}, or a path. Empty for
   * none.
   */
  String faults() default "";

  /** The ids of the nodes that it runs on. */
  String[] nodes() default {"node-1"};

  /** Whether its time stands still until a {@code VirtualClock} is told to go on. */
  boolean virtualTime() default false;

  /**
   * Whether what it publishes is a mount in the memory of the test, which a parameter of the type
   * {@code MemoryKernel} gives: for a host that looks into the mount table.
   */
  boolean mounts() default false;

  /** Whether a test fails in which the referee found a binding duty broken. */
  boolean lawful() default true;

  /** The fate of a test that leaves something behind. */
  LeftoverPolicy leftovers() default LeftoverPolicy.FAIL;

  /** How long the plugin lives. */
  PluginLifetime lifetime() default PluginLifetime.METHOD;

  /** Tells two plugins apart that are the same otherwise. */
  String name() default "";
}
