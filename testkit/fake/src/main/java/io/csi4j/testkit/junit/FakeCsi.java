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
 * Provides a CSI plugin to a test, and fails the test if it leaves something behind or breaks the
 * rules of CSI.
 *
 * <p>On a class, a nested class or a method: parameters of the test, and of constructors and {@code
 * BeforeEach} methods, may then be a {@code FakeCsiPlugin}, its {@code CsiEndpoint}, a connected
 * {@code CsiPlugin} client of that endpoint, its {@code CallJournal}, its {@code VirtualClock} with
 * {@link #virtualTime}, and the {@code MemoryKernel} in which it mounts with {@link #mounts}. All
 * of them belong to one plugin. The innermost annotation applies.
 *
 * <p>On a parameter, or on a field of one of these types: a separate plugin, shared with other
 * parameters and fields of the test that have an equal annotation. Fields are set before the {@code
 * BeforeEach} methods; static fields before the {@code BeforeAll} methods, for {@link
 * PluginLifetime#CLASS}.
 *
 * <p>The plugin is closed after each test. A test that passed fails if volumes are still in use,
 * calls are in flight or resources of the plugin itself remain, and if the referee found a broken
 * binding duty. If a test has failed already, the journal of calls is published as a report entry
 * and added to the failure as a suppressed exception.
 *
 * @since 1.0
 */
@SuppressWarnings("exports") // Users of this annotation have JUnit on the module path.
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

  /** A class that supplies the shape, instead of {@link #shape}. */
  Class<? extends ShapeSource> shapeFrom() default ShapeSource.class;

  /** Quirks of the plugin in addition to those of its shape. */
  Quirk[] quirks() default {};

  /**
   * The file of a {@link io.csi4j.testkit.fault.FaultScript} whose faults the plugin has from its
   * start: a resource on the class path of the test, such as {@code faults/busy.txt}, or a path.
   * Empty for none.
   */
  String faults() default "";

  /** The ids of the nodes on which the plugin runs. */
  String[] nodes() default {"node-1"};

  /** Whether the plugin's time advances only through its {@code VirtualClock}. */
  boolean virtualTime() default false;

  /**
   * Whether the plugin mounts what it publishes in an in-memory namespace, available as a parameter
   * of type {@code MemoryKernel}: for a host that reads the mount table.
   */
  boolean mounts() default false;

  /** Whether a test fails if the referee found a broken binding duty. */
  boolean lawful() default true;

  /** Whether a test fails if it leaves something behind. */
  LeftoverPolicy leftovers() default LeftoverPolicy.FAIL;

  /** The lifetime of the plugin. */
  PluginLifetime lifetime() default PluginLifetime.METHOD;

  /** Distinguishes two plugins that are otherwise equal. */
  String name() default "";
}
