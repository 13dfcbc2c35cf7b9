/** Layers stacked day by day. The library is loaded when a plot is shown first; the table says the same. */
import { useEffect, useRef } from 'react'
import type UPlot from 'uplot'
import { colourOf } from './colours.ts'
import type { Stacks } from './stack-usage.ts'

interface StackedPlotProps {
  readonly stacks: Stacks
  readonly label: string
  readonly amountText: (amount: number) => string
}

const HEIGHT = 240
const HALF_DAY_S = 43_200

export function StackedPlot({ stacks, label, amountText }: StackedPlotProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    let plot: UPlot | undefined
    let isLeft = false
    const resized = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height: HEIGHT }))
    void Promise.all([import('uplot'), import('uplot/dist/uPlot.min.css')]).then(([{ default: Plot }]) => {
      if (isLeft) return
      plot = new Plot(optionsOf(Plot, { stacks, amountText, width: element.clientWidth }), dataOf(stacks), element)
      resized.observe(element)
    })
    return () => {
      isLeft = true
      resized.disconnect()
      plot?.destroy()
    }
  }, [stacks, amountText])
  return <div ref={place} className="usage-plot" role="img" aria-label={label} />
}

interface Drawn extends Pick<StackedPlotProps, 'stacks' | 'amountText'> {
  readonly width: number
}

function optionsOf(Plot: typeof UPlot, { stacks, amountText, width }: Drawn): UPlot.Options {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string): string => style.getPropertyValue(name).trim()
  const font = `12px ${colour('--font')}`
  const axis = { font, stroke: resolved(colour('--text-soft')), grid: { stroke: resolved(colour('--line')), width: 1 } }
  const paths = Plot.paths.bars?.({ size: [0.75, 60] })
  return {
    width,
    height: HEIGHT,
    tzDate: (seconds) => Plot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { range: (_plot, min, max) => [min - HALF_DAY_S, max + HALF_DAY_S] },
      y: { range: (_plot, _min, max) => [0, max === 0 ? 1 : max * 1.05] },
    },
    axes: [
      { ...axis, size: 32, values: (_plot, splits) => splits.map(dayText) },
      { ...axis, size: (_plot, values) => widthOf(values ?? []), values: (_plot, splits) => splits.map(amountText) },
    ],
    // The whole stack is drawn first, what stands before it in front of it.
    series: [
      {},
      ...stacks.layers.toReversed().map((_layer, index) => {
        const fill = colourOf(stacks.layers.length - 1 - index)
        return { fill, stroke: fill, points: { show: false }, ...(paths === undefined ? {} : { paths }) }
      }),
    ],
  }
}

const CHAR_WIDTH = 7
const AXIS_MARGIN = 20

/** What it costs is a longer text than a count. */
function widthOf(labels: readonly string[]): number {
  return AXIS_MARGIN + CHAR_WIDTH * Math.max(5, ...labels.map((label) => label.length))
}

const dayAndMonth = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })

function dayText(seconds: number): string {
  return dayAndMonth.format(seconds * 1000)
}

/** A canvas knows no `light-dark()`. */
function resolved(colour: string): string {
  const probe = document.createElement('span')
  probe.style.color = colour
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** Each layer on top of those before it; the highest first. */
function dataOf({ days, layers }: Stacks): UPlot.AlignedData {
  const sums = days.map(() => 0)
  const stacked = layers.map(({ amounts }) =>
    amounts.map((amount, day) => {
      sums[day] = (sums[day] ?? 0) + amount
      // Nothing is drawn where nothing was added: what lies below stands in front anyway.
      return amount === 0 ? null : sums[day]
    }),
  )
  return [days.map((day) => Date.parse(day) / 1000), ...stacked.toReversed()]
}
